// The theme without its fonts: pages use those of the system.
export { default } from 'vitepress/theme-without-fonts';
