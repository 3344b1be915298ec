/** Starts Swagger UI. A file of its own, because a strict policy lets no page carry a script. */
export const START_JS = `SwaggerUIBundle({
  // Relative to the page, like the page's own files.
  url: 'openapi.json',
  dom_id: '#docs',
  presets: [SwaggerUIBundle.presets.apis],
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  // The public validator would be told of the document.
  validatorUrl: null,
});
`;
