import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { placeOrder, startServer } from '../programs/running-server.ts';
import { scrape } from './scraped-metrics.ts';

const readDeployed = (file: string) => readFileSync(join(import.meta.dirname, '../../deploy', file), 'utf8');
const Rule = z.object({ record: z.string().optional(), expr: z.string() });
const Alerts = z.object({ groups: z.array(z.object({ rules: z.array(Rule) })) });
const ALERTS = Alerts.parse(parse(readDeployed('alerts.yml')));

/** What the panels of the dashboard show, with what the alerts record in place of its names. */
const EXPRESSIONS = [...readDeployed('grafana-dashboard.json').matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(
  ([, expression = '']) =>
    ALERTS.groups
      .flatMap(({ rules }) => rules)
      .reduce(
        (text, { record, expr }) => (record === undefined ? text : text.replaceAll(record, `(${expr})`)),
        String(JSON.parse(expression)),
      ),
);

/** Labels of a sample that Prometheus adds. */
const LABELS_OF_PROMETHEUS = ['instance', 'job'];

interface Use {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Returns the metrics of an expression, each with the labels that it uses. */
function usesIn(expression: string): readonly Use[] {
  const grouped = [...expression.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
  return [...expression.matchAll(/\b((?:orders|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', by = '']) => ({
      metric,
      labels: [...grouped, ...[...by.matchAll(/(\w+)[=!]/g)].map(([, label = '']) => label)],
    }),
  );
}

it('the Grafana dashboard shows all metrics of the server itself, by labels that they have', async () => {
  expect(EXPRESSIONS.length).toBeGreaterThan(20);
  expect(EXPRESSIONS.filter((expression) => usesIn(expression).length === 0)).toEqual([]);
  const uses = EXPRESSIONS.flatMap(usesIn);
  const server = await startServer({ METRICS_PORT: '0' });
  await placeOrder(server);
  const scraped = await scrape(server);

  const parts = ['', '_bucket', '_sum', '_count'];
  const served = new Set(
    [...scraped.types].flatMap(([name, type]) => (type === 'histogram' ? parts.map((part) => name + part) : [name])),
  );
  expect(uses.map(({ metric }) => metric).filter((metric) => !served.has(metric))).toEqual([]);

  const missing = uses.flatMap(({ metric, labels }) => {
    const samples = scraped.samples.filter(({ name }) => name === metric);
    // The garbage collector has no metrics before its first run.
    if (samples.length === 0 && metric.startsWith('nodejs_gc_')) return [];
    const known = [...samples.flatMap((sample) => Object.keys(sample.labels)), ...LABELS_OF_PROMETHEUS];
    return labels.filter((label) => !known.includes(label)).map((label) => `${metric}: ${label}`);
  });
  expect(missing).toEqual([]);

  const shown = uses.map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, ''));
  const own = [...scraped.types.keys()].filter((name) => name.startsWith('orders_'));
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter((name) => !shown.includes(name))).toEqual([]);
});
