import type { QueryClient } from '@tanstack/react-query';
import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sessionToken } from '../../api/session.ts';
import { ordersOf } from './data.ts';
import { type Filter, readFilter } from './filter.ts';

export const ordersRoute = (root: AnyRootRoute, client: QueryClient) =>
  createRoute({
    getParentRoute: () => root,
    path: '/orders',
    validateSearch: readFilter,
    loaderDeps: ({ search }: { readonly search: Filter }) => search,
    // Read while the page's script is loaded and rendered, which takes as long.
    loader: ({ deps }) => {
      if (sessionToken() !== null) void client.prefetchQuery(ordersOf(deps));
    },
    component: lazyRouteComponent(() => import('./view.tsx'), 'OrdersPage'),
  });
