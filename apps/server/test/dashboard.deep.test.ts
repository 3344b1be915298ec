import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AN_ORDER, startServer } from './running-server.ts';
import { scrape, type ScrapedMetrics } from './scraped-metrics.ts';

const DASHBOARD = readFileSync(join(import.meta.dirname, '../../../deploy/grafana-dashboard.json'), 'utf8');

/** What the panels show. */
const EXPRESSIONS = [...DASHBOARD.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, expression = '']) =>
  String(JSON.parse(expression)),
);

/** What Prometheus, not a server, says of a sample. */
const LABELS_OF_PROMETHEUS = ['instance', 'job'];

interface Use {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Which metrics an expression names, each with the labels that are asked of it. */
function usesIn(expression: string): readonly Use[] {
  const grouped = [...expression.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
  return [...expression.matchAll(/\b((?:orders|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', by = '']) => ({
      metric,
      labels: [...grouped, ...[...by.matchAll(/(\w+)[=!]/g)].map(([, label = '']) => label)],
    }),
  );
}

const USES = EXPRESSIONS.flatMap(usesIn);

async function scrapeNewServer(): Promise<ScrapedMetrics> {
  const server = await startServer({ METRICS_PORT: '0' });
  await server.request('/v1/orders', { method: 'POST', body: AN_ORDER });
  return await scrape(server);
}

describe('the Grafana dashboard', () => {
  let scraping: Promise<ScrapedMetrics> | undefined;

  /** The metrics of a server that has placed an order. It ends with the first test that needs them. */
  const scrapeOnce = () => (scraping ??= scrapeNewServer());

  it('shows something in each of its panels', () => {
    expect(EXPRESSIONS.length).toBeGreaterThan(20);
    expect(EXPRESSIONS.filter((expression) => usesIn(expression).length === 0)).toEqual([]);
  });

  it('names only metrics that a server has', async () => {
    const scraped = await scrapeOnce();
    const parts = ['', '_bucket', '_sum', '_count'];
    const served = new Set(
      [...scraped.types].flatMap(([name, type]) => (type === 'histogram' ? parts.map((part) => name + part) : [name])),
    );
    expect(USES.map(({ metric }) => metric).filter((metric) => !served.has(metric))).toEqual([]);
  });

  it('asks each metric only for labels that it has', async () => {
    const scraped = await scrapeOnce();
    const missing = USES.flatMap(({ metric, labels }) => {
      const samples = scraped.samples.filter(({ name }) => name === metric);
      // Of the garbage collector there is nothing to tell before it has run.
      if (samples.length === 0 && metric.startsWith('nodejs_gc_')) return [];
      const known = [...samples.flatMap((sample) => Object.keys(sample.labels)), ...LABELS_OF_PROMETHEUS];
      return labels.filter((label) => !known.includes(label)).map((label) => `${metric}: ${label}`);
    });
    expect(missing).toEqual([]);
  });

  it('leaves out none of our own metrics', async () => {
    const scraped = await scrapeOnce();
    const shown = USES.map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, ''));
    const own = [...scraped.types.keys()].filter((name) => name.startsWith('orders_'));
    expect(own.length).toBe(13);
    expect(own.filter((name) => !shown.includes(name))).toEqual([]);
  });
});
