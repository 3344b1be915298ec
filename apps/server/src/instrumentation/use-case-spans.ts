import { type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { UseCaseObserver } from './instrumented-domain.ts';
import { currentContext } from './spans.ts';

/** What is wrong with the server and not with what it is asked. */
const FAULTS: ReadonlySet<string> = new Set(['unavailable', 'thrown']);

/** Makes a span of every use case, below that of the request that asks for it. */
export function useCaseSpans(tracer: Tracer): UseCaseObserver<Span> {
  return {
    begin: (useCase) => tracer.startSpan(useCase, {}, currentContext()),
    end: (_useCase, span, outcome) => {
      span.setAttribute('orders.outcome', outcome);
      if (FAULTS.has(outcome)) {
        span.setAttribute('error.type', outcome);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}
