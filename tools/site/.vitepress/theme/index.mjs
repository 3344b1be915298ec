// The theme without its fonts: pages use those of the system. The first page has a home above the index of all pages.
import { h } from 'vue';
import Theme from 'vitepress/theme-without-fonts';
import Home from './Home.vue';
import Play from './Play.vue';
import './style.css';

export default {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { 'home-hero-before': () => h(Home) }),
  enhanceApp: ({ app }) => app.component('Play', Play),
};
