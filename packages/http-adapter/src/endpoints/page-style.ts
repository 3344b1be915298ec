/** How our own pages look, light or dark as the reader has it. */
export const PAGE_CSS = `:root {
  color-scheme: light dark;
}
body {
  max-width: 44rem;
  margin: 4rem auto;
  padding: 0 1.5rem;
  font: 1rem/1.6 system-ui, sans-serif;
}
h1 {
  line-height: 1.2;
}
h2 {
  margin-top: 2rem;
  font-size: 1.1rem;
}
code {
  padding: 0.1em 0.3em;
  border-radius: 0.25em;
  background: color-mix(in srgb, currentcolor 10%, transparent);
  font-size: 0.9em;
}
`;
