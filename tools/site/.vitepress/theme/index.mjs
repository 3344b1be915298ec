// The theme without its fonts: pages use those of the system. The first page is a home with the index of all pages.
import NotFound from 'vitepress/dist/client/theme-default/NotFound.vue';
import Theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import Home from './Home.vue';
import Play from './Play.vue';
import './style.css';

export default {
  extends: Theme,
  // That of the theme has no landmark.
  Layout: () => h(Theme.Layout, null, { 'not-found': () => h('main', h(NotFound)) }),
  enhanceApp: ({ app }) => app.component('Play', Play).component('Home', Home),
};
