/** A kind of aggregate, as a value. What concerns several kinds, such as the feed, knows them by this alone. */
export interface AggregateKind<Name extends string = string, Published extends string = string> {
  /** Its name in events and in what is stored. It never changes. */
  readonly name: Name;
  /** The types of its events. Each begins with the name. */
  readonly events: readonly string[];
  /** Whether events of a type enter the feed. The others are recorded for retries alone. Default: all enter it. */
  readonly isPublished?: (type: string) => type is Published;
}
