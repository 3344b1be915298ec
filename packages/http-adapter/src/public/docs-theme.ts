/**
 * Sets whether the reference is dark or light: as the system has it, until the reader presses the switch. The choice is
 * kept for all tabs and visits.
 */
export const THEME_JS = `'use strict';

const CHOICE = 'orders-docs-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const button = document.getElementById('theme');

// A browser may forbid a page any storage.
const chosen = () => {
  try {
    return localStorage.getItem(CHOICE);
  } catch {
    return null;
  }
};
const choose = (theme) => {
  try {
    localStorage.setItem(CHOICE, theme);
  } catch {}
};

const show = (theme) => {
  const isDark = theme === 'dark';
  document.documentElement.classList.toggle('dark-mode', isDark);
  button.textContent = isDark ? 'Light mode' : 'Dark mode';
  button.hidden = false;
};
const showChosen = () => show(chosen() ?? (system.matches ? 'dark' : 'light'));

button.addEventListener('click', () => {
  const theme = document.documentElement.classList.contains('dark-mode') ? 'light' : 'dark';
  choose(theme);
  show(theme);
});
system.addEventListener('change', showChosen);
showChosen();
`;

/**
 * The style of the switch, and what Swagger UI's own lacks: a first operation above the fold, and texts that contrast with
 * what is behind them by 4.5 or more.
 */
export const THEME_CSS = `@media (prefers-reduced-motion: reduce) {
  .swagger-ui * {
    transition: none !important;
  }
}
#theme {
  position: absolute;
  top: 1rem;
  right: 1.5rem;
  padding: 0.3rem 0.8rem;
  border: 1px solid currentcolor;
  border-radius: 4px;
  background: transparent;
  color: inherit;
  font: 14px/1.4 sans-serif;
  cursor: pointer;
}
html.dark-mode #theme {
  color: #e4e6e6;
}
.swagger-ui .info {
  margin: 1.5rem 0 1rem;
}
.swagger-ui .scheme-container {
  margin: 0;
  padding: 0.5rem 0;
}
.swagger-ui .info summary {
  cursor: pointer;
}
.swagger-ui .info .title small {
  background: #4b5560;
}
.swagger-ui .info .title small.version-stamp {
  background: #3d6300;
}
.swagger-ui .info a,
.swagger-ui .info .url {
  color: #1d5fb8;
}
.swagger-ui .btn.authorize {
  border-color: #12734a;
  color: #12734a;
}
.swagger-ui .btn.authorize svg {
  fill: #12734a;
}
html.dark-mode .swagger-ui .info a,
html.dark-mode .swagger-ui .info .url {
  color: #8ab8ff;
}
html.dark-mode .swagger-ui .btn.authorize {
  border-color: #74d6a2;
  color: #74d6a2;
}
html.dark-mode .swagger-ui .btn.authorize svg {
  fill: #74d6a2;
}
.swagger-ui .opblock.opblock-get .opblock-summary-method {
  background: #1d5fb8;
}
.swagger-ui .opblock.opblock-post .opblock-summary-method {
  background: #12734a;
}
.swagger-ui .opblock.opblock-patch .opblock-summary-method {
  background: #0b6b60;
}
.swagger-ui .opblock.opblock-delete .opblock-summary-method {
  background: #b3261e;
}
@media (max-width: 640px) {
  .swagger-ui .opblock .opblock-summary-path {
    overflow-wrap: anywhere;
  }
}
`;
