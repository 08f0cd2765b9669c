/** The generated queries of each judge: `NINEFOLD_LOGQL_QUERIES=1000`; ten times as many are changed at random. */
export const queryCount = Number(process.env['NINEFOLD_LOGQL_QUERIES'] ?? 300)
