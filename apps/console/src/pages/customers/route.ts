import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

export const customersRoute = (root: AnyRootRoute) =>
  createRoute({
    getParentRoute: () => root,
    path: '/customers',
    component: lazyRouteComponent(() => import('./view.tsx'), 'CustomersPage'),
  });
