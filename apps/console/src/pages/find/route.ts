import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readFound } from './data.ts';

export const findRoute = (root: AnyRootRoute) =>
  createRoute({
    getParentRoute: () => root,
    path: '/find',
    validateSearch: readFound,
    component: lazyRouteComponent(() => import('./view.tsx'), 'FindPage'),
  });
