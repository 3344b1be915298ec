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

/** The style of the switch; that of the rest, dark and light, is Swagger UI's. */
export const THEME_CSS = `#theme {
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
`;
