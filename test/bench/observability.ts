import { printMetrics } from './measuring/observability/metrics.ts'

/**
 * Prints figures of metrics, each beside its limit: remote writes through the served platform on one processor, a range
 * query over 1,000 series and an hour beside Prometheus, the memory, the event loop, and reads of another area during
 * queries. The measured server is the built package, as users run it. The default is 10,000 series with 40 samples;
 * `npm run bench observability full` takes an hour of samples, 240.
 */
const isFull = process.argv.includes('full')
if (!(await printMetrics({ series: 10_000, steps: isFull ? 240 : 40 }))) process.exitCode = 1
