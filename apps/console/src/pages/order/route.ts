import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readAsOf } from './data.ts';

export const orderRoute = (root: AnyRootRoute) =>
  createRoute({
    getParentRoute: () => root,
    path: '/orders/$id',
    validateSearch: readAsOf,
    component: lazyRouteComponent(() => import('./view.tsx'), 'OrderPage'),
  });
