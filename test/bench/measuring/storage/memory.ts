import { loopDelays } from '../loop-delays.ts'
import { meets, meetsLoop, secondsOf } from './limits.ts'
import { besideBare, residentBytes } from './served-bucket.ts'
import { pooled } from './small.ts'
import { download, taken, upload } from './transfers.ts'

const streams = 100
const sampleMs = 20

/** The memory of the process tree may grow by this number of MiB. */
const limitMib = 64

/**
 * Prints by how much the resident memory of the server's processes grows during 100 uploads at a time, and then during
 * 100 downloads; returns whether the growth and the event loop kept their limits. A first upload and download warm the
 * server up.
 */
export const printMemory = (isFull: boolean): Promise<boolean> =>
  besideBare(async ({ down, server, up }) => {
    const size = isFull ? 100e6 : 20e6
    const names = Array.from({ length: streams }, (_, i) => `stream-${i}`)
    for (let i = 0; i < 3; i += 1) {
      await upload(await up('warm'), size)
      await download(await down('warm'))
    }
    const uploads = await pooled(names, up)
    const downloads = await pooled(names, down)
    const kinds = [
      ['PUT', () => Promise.all(uploads.map(asked => taken(() => upload(asked, size))))],
      ['GET', () => Promise.all(downloads.map(asked => taken(() => download(asked))))],
    ] as const
    let isMet = true
    for (const [method, run] of kinds) {
      await loopDelays(server)
      const before = residentBytes(server.pid)
      let most = before
      const timer = setInterval(() => (most = Math.max(most, residentBytes(server.pid))), sampleMs)
      const seconds = await secondsOf(async () => {
        const refused = (await run()).filter(({ status }) => status !== 200)
        if (refused.length > 0) throw new Error(`${refused.length} transfers were answered ${refused[0]?.status}`)
      })
      clearInterval(timer)
      const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`
      console.log(`\n${method} of ${streams} x ${size / 1e6} MB at a time, ${seconds.toFixed(1)} s`)
      const grown = `${mib(most - before)}, from ${mib(before)} to ${mib(most)}`
      const isSmall = most - before < limitMib * 2 ** 20
      isMet = meets(`the memory grows by less than ${limitMib} MiB`, grown, isSmall) && isMet
      isMet = (await meetsLoop(server)) && isMet
    }
    return isMet
  })
