import { expect, it, onTestFinished } from 'vitest'
import { newWorkspace, noon } from '../engines.ts'
import { at, entry, logBatch, logLimits, testLogEngine } from './log-engines.ts'

it('the query of an alert rule has data if its window has a line of a selected stream, whether or not the line fits', async () => {
  const { engine } = testLogEngine(onTestFinished)
  const workspace = newWorkspace()
  const lines = ['fine', 'error a', 'error b'].map((line, i) => entry(at(noon - 60_000, i), line))
  await engine.write(
    workspace,
    logBatch([{ service_name: 'api' }, lines], [{ service_name: 'web' }, [entry(at(noon), 'fine')]]),
    logLimits,
  )
  const { signal } = new AbortController()
  const vector = (query: string, time = noon) => engine.alertVector(workspace, query, time, signal)
  const count = (text: string, range: string) => `count_over_time({service_name="api"} |= "${text}" [${range}])`
  const element = { labels: { service_name: 'api' }, value: 2 }
  expect(await vector(count('error', '5m'))).toEqual({ elements: [element], hasData: true })
  expect(await vector(`${count('error', '5m')} > 2`)).toEqual({ elements: [], hasData: true })
  expect(await vector(count('no line has this', '5m'))).toEqual({ elements: [], hasData: true })
  // The other stream has a line in the window, and lies in the same block.
  expect(await vector(count('error', '30s'))).toEqual({ elements: [], hasData: false })
  expect(await vector('count_over_time({service_name="absent"}[5m])')).toEqual({ elements: [], hasData: false })
  expect(await engine.alertVector(newWorkspace(), count('error', '5m'), noon, signal)).toEqual({
    elements: [],
    hasData: false,
  })
  await expect(vector('count_over_time({}[5m])')).rejects.toMatchObject({ reason: 'SELECTOR_EMPTY' })
})
