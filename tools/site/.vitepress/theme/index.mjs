// The theme without its fonts: pages use those of the system. The first page is a home with the index of all pages.
import Theme from 'vitepress/theme-without-fonts';
import Home from './Home.vue';
import Play from './Play.vue';
import './style.css';

export default {
  extends: Theme,
  enhanceApp: ({ app }) => app.component('Play', Play).component('Home', Home),
};
