import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinnedProgram } from '../overload/pinned-server.ts'
import { printSpeeds, type Contender } from '../storage/content.ts'
import { download, upload, type Answered, type Asked } from '../storage/transfers.ts'
import { withLayers } from './served-layers.ts'

/**
 * Prints the speed of a push and of a pull of one large layer, beside a bare server of node:http that computes the same
 * digest, and synchronises the file. Returns whether the speeds and the event loop kept their limits.
 */
export const printContent = (isFull: boolean): Promise<boolean> =>
  withLayers(async ({ pull, push, server }) => {
    const size = isFull ? 2 ** 30 : 2 ** 28
    const folder = mkdtempSync(join(tmpdir(), 'ninefold-bare-'))
    const program = fileURLToPath(new URL('../storage/bare-content.ts', import.meta.url))
    const bare = await pinnedProgram([program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const { pid } = server
      const asked = async (): Promise<Asked> => ({ url: new URL('/sha256/a', bare.url).href })
      const put = (to: Asked): Promise<Answered> => upload(to, size)
      const get = (from: Asked): Promise<Answered> => download(from)
      const up: readonly Contender[] = [
        { name: 'the bare server, with the same digest', pid: bare.pid, asked, transfer: put },
        { name: 'the registry', pid, asked: () => push(size), transfer: put },
      ]
      const down: readonly Contender[] = [
        { name: 'the bare server', pid: bare.pid, asked, transfer: get },
        { name: 'the registry', pid, asked: () => pull(size), transfer: get },
      ]
      const isPushed = await printSpeeds({ server }, 'PUT', size, up)
      return (await printSpeeds({ server }, 'GET', size, down)) && isPushed
    } finally {
      await bare.close()
      rmSync(folder, { recursive: true })
    }
  })
