import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Series } from '../../../../../domain/observability/metrics/samples.ts'
import { run } from '../../../../server/programs.ts'
import { judgedSeries, type JudgedAnswer, type JudgedQuery } from './answers.ts'

/** The engine of Prometheus 3 as a program in Go, which answers queries over given series. */
export class EngineJudge implements AsyncDisposable {
  readonly #folder: Awaited<ReturnType<typeof mkdtempDisposable>>

  private constructor(folder: Awaited<ReturnType<typeof mkdtempDisposable>>) {
    this.#folder = folder
  }

  /** Builds the program; takes minutes where its modules are not downloaded yet. */
  static async built(): Promise<EngineJudge> {
    const judge = new EngineJudge(await mkdtempDisposable(join(tmpdir(), 'ninefold-promql-')))
    const place = join(import.meta.dirname, '../../oracle')
    const { status, errors } = await run('go', ['-C', place, 'build', '-o', judge.#program, '.'])
    if (status !== 0) throw new Error(`the judge cannot be built: ${errors}`)
    return judge
  }

  async answers(series: readonly Series[], queries: readonly JudgedQuery[]): Promise<readonly JudgedAnswer[]> {
    const input = JSON.stringify({ series: judgedSeries(series), queries })
    const { output, errors } = await run(this.#program, [], input)
    expect(errors).toBe('')
    const lines = output.toString('utf8').split('\n').slice(0, -1)
    expect(lines).toHaveLength(queries.length)
    return lines.map(line => JSON.parse(line))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder.remove()
  }

  get #program(): string {
    return join(this.#folder.path, 'oracle')
  }
}
