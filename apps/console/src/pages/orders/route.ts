import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readFilter } from './filter.ts';

export const ordersRoute = (root: AnyRootRoute) =>
  createRoute({
    getParentRoute: () => root,
    path: '/orders',
    validateSearch: readFilter,
    component: lazyRouteComponent(() => import('./view.tsx'), 'OrdersPage'),
  });
