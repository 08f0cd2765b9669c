import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSocketServer, type Server as SocketServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { BootImage } from '../../../../domain/compute/drivers/driver.ts'
import { ImageFiles } from '../../../../server/compute/qemu/image-files.ts'
import { listenLocally } from '../../../listen-locally.ts'
import { testFolder } from '../../store/harness.ts'

const content = Buffer.from('the content of an image')

const sha256 = createHash('sha256').update(content).digest('hex')

/** Serves images on this host; returns the address. */
async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return listening(server)
}

/** Starts a server on a free port; returns the address of an image. */
const listening = async (server: SocketServer): Promise<string> => `${await listenLocally(server)}/image`

const image = (more: Partial<BootImage>): BootImage => ({ name: 'web', boot_ms: 1, ...more })

/** A header of qcow2 with 64-bit numbers at these places. */
function qcow2(fields: Readonly<Record<number, bigint>>): Buffer {
  const header = Buffer.alloc(104)
  header.write('QFI\u00fb', 'latin1')
  header.writeUInt32BE(3, 4)
  for (const [at, value] of Object.entries(fields)) header.writeBigUInt64BE(value, Number(at))
  return header
}

describe('the images of a host', () => {
  it('are fetched once, for machines that need the image at the same time too', async () => {
    let requests = 0
    const url = await serving((_request, response) => {
      requests += 1
      response.end(content)
    })
    const folder = testFolder()
    const files = new ImageFiles(folder)
    const fetched = await Promise.all([1, 2, 3].map(() => files.baseOf(image({ url, sha256 }))))
    const base = { path: `../images/${sha256}.img`, format: 'raw', virtualBytes: content.length }
    expect(fetched).toEqual([base, base, base])
    expect(await new ImageFiles(folder).baseOf(image({ url, sha256 }))).toEqual(base)
    expect(requests).toBe(1)
    const path = join(folder, 'images', `${sha256}.img`)
    expect(readFileSync(path)).toEqual(content)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('are fetched from a host that ends the connection with the content, and that leads to another address', async () => {
    const large = Buffer.alloc(65_536, 'image')
    const host = createSocketServer(socket => {
      socket.once('data', request => {
        if (request.includes('/image ')) {
          socket.end('HTTP/1.1 302 Found\r\nLocation: /moved\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
          return
        }
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${large.length}\r\nConnection: close\r\n\r\n`)
        socket.end(large)
      })
    })
    const url = await listening(host)
    onTestFinished(() => void host.close())
    const digest = createHash('sha256').update(large).digest('hex')
    for (let i = 0; i < 20; i += 1) {
      const folder = testFolder()
      const base = await new ImageFiles(folder).baseOf(image({ url, sha256: digest }))
      expect(base?.virtualBytes).toBe(large.length)
    }
  })

  it.each<[string, number, RequestListener, string]>([
    [
      'an endless way',
      60_000,
      (_request, response) => void response.writeHead(302, { location: '/image' }).end(),
      'could not be fetched',
    ],
    [
      'a way to another scheme',
      60_000,
      (_request, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      'could not be fetched',
    ],
    ['another digest', 60_000, (_request, response) => void response.end('other'), 'has the digest'],
    ['too many bytes', 60_000, (_request, response) => void response.end(Buffer.alloc(2000)), 'is larger than 1000'],
    [
      'a failure',
      60_000,
      (_request, response) => void response.writeHead(404).end(),
      'could not be fetched: status 404',
    ],
    ['no answer', 300, () => {}, 'could not be fetched'],
    ['an answer without an end', 300, (_request, response) => void response.write('x'), 'could not be fetched'],
    ['a cut connection', 60_000, request => void request.socket.destroy(), 'could not be fetched'],
  ])('are refused for %s, and leave no file', async (_name, timeoutMs, answer, message) => {
    const folder = testFolder()
    const url = await serving(answer)
    const files = new ImageFiles(folder, { timeoutMs, maxBytes: 1000 })
    await expect(files.baseOf(image({ url, sha256 }))).rejects.toThrow(message)
    expect(readdirSync(join(folder, 'images'))).toEqual([])
  })

  it('have the format of their header', async () => {
    const folder = testFolder()
    const [raw, disk] = [join(folder, 'raw'), join(folder, 'disk')]
    writeFileSync(raw, 'x')
    writeFileSync(disk, qcow2({ 24: 1n }))
    const files = new ImageFiles(folder)
    expect(await files.baseOf(image({ file: raw }))).toEqual({ path: raw, format: 'raw', virtualBytes: 1 })
    expect(await files.baseOf(image({ file: disk }))).toEqual({ path: disk, format: 'qcow2', virtualBytes: 1 })
    expect(await files.baseOf(image({ name: 'blank' }))).toBeUndefined()
  })

  it.each([
    ['a backing file', { 8: 80n }],
    ['an external data file', { 72: 4n }],
  ])('are refused if they need %s', async (_name, fields) => {
    const folder = testFolder()
    const file = join(folder, 'disk')
    writeFileSync(file, qcow2(fields))
    await expect(new ImageFiles(folder).baseOf(image({ file }))).rejects.toThrow('needs other files')
  })

  it.each<[string, (path: string) => void, string]>([
    ['is empty', path => writeFileSync(path, ''), 'is empty'],
    ['is encrypted', path => writeFileSync(path, qcow2({ 32: 2n ** 32n })), 'is encrypted'],
    ['ends within its header', path => writeFileSync(path, qcow2({}).subarray(0, 60)), 'is truncated'],
    ['ends before its table', path => writeFileSync(path, qcow2({ 32: 1n, 40: 2n ** 60n })), 'is truncated'],
    ['is a folder', path => mkdirSync(path), 'cannot be read'],
    ['is a pipe without a writer', path => void execFileSync('mkfifo', [path]), 'cannot be read'],
    ['is a device without an end', path => symlinkSync('/dev/zero', path), 'cannot be read'],
    ['is a link to nothing', path => symlinkSync('absent', path), 'does not exist'],
    ['is a link to itself', path => symlinkSync(path, path), 'does not exist'],
  ])('are refused at once if their file %s', async (_name, make, message) => {
    const file = join(testFolder(), 'disk')
    make(file)
    await expect(new ImageFiles(testFolder()).baseOf(image({ file }))).rejects.toThrow(message)
  })

  it('are refused without a file', async () => {
    const files = new ImageFiles(testFolder())
    await expect(files.baseOf(image({ file: '/nowhere/disk' }))).rejects.toThrow('does not exist')
    await expect(files.baseOf(image({ name: 'debian-13' }))).rejects.toThrow('has no file and no url')
  })

  it('lose what an interrupted download has left', () => {
    const folder = testFolder()
    const files = new ImageFiles(folder)
    files.tiny()
    writeFileSync(join(folder, 'images', 'half.img.tmp'), '')
    files.clean()
    expect(readdirSync(join(folder, 'images'))).toEqual(['tiny.raw'])
  })
})
