import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

export const overviewRoute = (root: AnyRootRoute) =>
  createRoute({
    getParentRoute: () => root,
    path: '/overview',
    component: lazyRouteComponent(() => import('./view.tsx'), 'OverviewPage'),
  });
