import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { killWalk } from '../../../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../../../areas/kill/restarts.ts'
import { walkTimeout } from '../../../../areas/kill/tried-points.ts'
import { lineReceiver } from '../line-receiver.ts'
import { tellSinks } from './sink-story.ts'
import { walkedAreas } from './walked-areas.ts'

const program = fileURLToPath(new URL('./walked-sinks.ts', import.meta.url))

it(
  'a server that is killed at any commit of a change or an export of a sink is made up for',
  { timeout: walkTimeout },
  async () => {
    const receiver = await lineReceiver(onTestFinished)
    const { missed, points, restarts, tried } = await killWalk({
      program,
      areas: walkedAreas,
      walked: 'observability',
      tell: (call, round) => tellSinks(call, round, receiver),
    })
    console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}; missed: ${missed.join(', ')}`)
    expect(missed.length).toBeLessThanOrEqual(tried.length / 4)
  },
)
