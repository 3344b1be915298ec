import { QueryClientProvider } from '@tanstack/react-query';
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
  RouterProvider,
} from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { newQueryClient } from './api/queries.ts';
import { customersRoute } from './pages/customers/route.ts';
import { findRoute } from './pages/find/route.ts';
import { orderRoute } from './pages/order/route.ts';
import { ownersRoute } from './pages/owners/route.ts';
import { ordersRoute } from './pages/orders/route.ts';
import { overviewRoute } from './pages/overview/route.ts';
import { webhooksRoute } from './pages/webhooks/route.ts';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ component: Shell });
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => redirect({ to: '/orders', replace: true, throw: true }),
});

const client = newQueryClient();

// In the fragment, which no browser sends: the server knows one page, and no log has what an operator looks at.
const router = createRouter({
  history: createHashHistory(),
  routeTree: root.addChildren([
    home,
    ...[ordersRoute, orderRoute, findRoute, customersRoute, webhooksRoute, ownersRoute, overviewRoute].map((route) =>
      route(root, client),
    ),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

// All of it, once what the page shows is there: what a later page needs must not depend on a server that is down, or has
// the files of another release.
const parts = import.meta.glob(['./pages/*/view.tsx', './pages/order/actions/forms.tsx']);
const LATER_MS = 2000;
setTimeout(
  () => requestIdleCallback(() => void Promise.allSettled(Object.values(parts).map((load) => load()))),
  LATER_MS,
);

/** Rendered once, with its page: the frame alone would delay what the page reads. */
function render(): void {
  const element = document.querySelector('#console');
  if (element)
    createRoot(element).render(
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    );
}
void router.load().finally(render);
