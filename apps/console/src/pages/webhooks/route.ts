import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readDeliveryFilter } from './data.ts';

export const webhooksRoute = (root: AnyRootRoute) =>
  createRoute({
    getParentRoute: () => root,
    path: '/webhooks',
    validateSearch: readDeliveryFilter,
    component: lazyRouteComponent(() => import('./view.tsx'), 'WebhooksPage'),
  });
