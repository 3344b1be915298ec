import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Returns functions that create metrics in `registry`, with their names of labels last. */
export function metersOf(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
      new Gauge({ name, help, labelNames, registers }),
    /** `buckets` are upper bounds in seconds. */
    histogram: <Label extends string>(
      name: string,
      help: string,
      buckets: readonly number[],
      ...labelNames: readonly Label[]
    ) => new Histogram({ name, help, buckets: [...buckets], labelNames, registers }),
  };
}
