import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readSelection } from './data.ts';

export const ownersRoute = (root: AnyRootRoute) =>
  createRoute({
    getParentRoute: () => root,
    path: '/owners',
    validateSearch: readSelection,
    component: lazyRouteComponent(() => import('./view.tsx'), 'OwnersPage'),
  });
