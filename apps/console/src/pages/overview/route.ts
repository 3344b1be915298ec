import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readInterval } from './data.ts';

export const overviewRoute = (root: AnyRootRoute) =>
  createRoute({
    getParentRoute: () => root,
    path: '/overview',
    validateSearch: readInterval,
    component: lazyRouteComponent(() => import('./view.tsx'), 'OverviewPage'),
  });
