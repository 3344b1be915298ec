import type { components } from '../../generated/api.ts';

type Schemas = components['schemas'];
type ProblemName = Exclude<keyof Schemas & `${string}Problem`, 'Problem'>;

/** The codes that the document has for problems. */
export type ProblemCode = { readonly [Name in ProblemName]: Schemas[Name]['code'] }[ProblemName];

/** The types of the document of the listener for operators, of the default definition; other ones have other statuses. */
export type Session = Schemas['CurrentOperatorSession'];
export type Definition = Schemas['Definition'];
export type Order = Omit<Schemas['Order'], 'status' | 'available_transitions'> & {
  readonly status: string;
  readonly available_transitions: readonly string[];
  readonly number?: string | null;
  readonly custom?: unknown;
};
export type OrderVersion = Omit<Schemas['OrderVersion'], 'order'> & { readonly order: Order | null };
export type LineItem = Schemas['LineItem'];
export type Timeline = Schemas['OrderTimeline'];
export type Summary = Schemas['TimelineSummary'];
export type Fault = Schemas['TimelineFault'];
export type Entry = Schemas['TimelineChange'];
export type Comment = Schemas['TimelineComment'];
export type FieldChange = Schemas['FieldChange'];
export type Delivery = Schemas['TimelineDelivery'];
export type Author = Schemas['PlacedBy'];
export type EndpointsOfOwners = Schemas['EndpointsOfOwners'];
export type EndpointHealth = Schemas['EndpointHealth'];
export type WebhookTest = Schemas['WebhookTest'];
export type RotatedEndpoint = Schemas['WebhookEndpointWithSecret'];
export type DeliveriesOfOwners = Schemas['DeliveriesOfOwners'];
export type DeliveryOfOwner = Schemas['DeliveryOfOwner'];
export type System = Schemas['System'];
export type Job = Schemas['Job'];
export type Owners = Schemas['Owners'];
export type ListedOwner = Schemas['Owner'];
export type FiguresRow = Schemas['OrderStatisticsRow'];
export type PersonData = Schemas['CustomerData'];
export type EmailErasure = Schemas['EmailErasure'];
export type ListedOrders = Schemas['ListedOrders'];
export type ListedOrder = Schemas['ListedOrder'];
export type Money = Schemas['Money'];
