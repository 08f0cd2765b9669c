/**
 * Makes node_modules equal to package-lock.json, and does nothing if both are equal already. Every npm script runs this
 * script first. The script is plain JavaScript with Node built-ins only, because it also runs on Node 20 before any
 * package is installed.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { delimiter, join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.ninefold-lock')
const cache = join(root, '.cache')
const lockFolder = join(cache, 'setup.lock')
const oldestNode = [22, 19]
const waitMinutes = 15

class SetupFailed extends Error {}

try {
  await setup()
} catch (error) {
  if (!(error instanceof SetupFailed) && error?.syscall === undefined) throw error
  console.error(`setup: ${error.message}`)
  process.exitCode = 1
}

async function setup() {
  const stamp = fingerprint()
  if (read(stampFile) === stamp) return
  await locked(() => {
    if (read(stampFile) === stamp) return
    if (!holdsEveryLockedPackage()) install()
    checkNode()
    writeFileSync(stampFile, stamp)
  })
}

/** Returns the hash of everything that node_modules depends on: the lock file and the platform. */
function fingerprint() {
  const lock = read(join(root, 'package-lock.json'))
  if (lock === undefined) throw new SetupFailed('package-lock.json is missing; restore it from the repository')
  return createHash('sha256').update(`${process.platform} ${process.arch}\n`).update(lock).digest('hex')
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  }
}

/** True after a manual `npm ci`: npm lists the installed packages in node_modules/.package-lock.json. */
function holdsEveryLockedPackage() {
  const installed = packages(join(modules, '.package-lock.json'))
  const wanted = packages(join(root, 'package-lock.json'))
  const same = (a, b) => a?.version === b.version && a.integrity === b.integrity
  return (
    Object.entries(wanted).every(([path, entry]) => path === '' || entry.optional || same(installed[path], entry)) &&
    Object.entries(installed).every(([path, entry]) => wanted[path] !== undefined && same(wanted[path], entry))
  )
}

function packages(file) {
  try {
    return JSON.parse(read(file) ?? '{}').packages ?? {}
  } catch {
    return {}
  }
}

/**
 * Installs the packages. Throws `SetupFailed` if node_modules is a link, because npm would empty the linked folder, which
 * another checkout may use.
 */
function install() {
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new SetupFailed(
      'node_modules is a link to a folder with other packages; delete the link and run the command again',
    )
  }
  console.error('setup: installing packages (npm ci)')
  const { command, args } = npm()
  const result = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--include=dev', '--include=optional'], {
    cwd: root,
    env: { ...process.env, PATH: outerPath() },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (result.error?.code === 'ENOENT') {
    throw new SetupFailed('npm is not in PATH; install Node.js with npm and run the command again')
  }
  if (result.status !== 0) {
    const reason = result.error?.message ?? `exit status ${result.status ?? result.signal}`
    console.error(`${result.stdout ?? ''}${result.stderr ?? ''}`.trimEnd())
    throw new SetupFailed(
      `npm ci failed (${reason}); see the lines above, check the network, stop servers that still run from ` +
        'node_modules and run the command again',
    )
  }
}

/**
 * Returns the npm that runs this script, with its own Node.js, because the Node.js in node_modules is about to be
 * replaced. If the running npm is unknown, returns the npm in PATH.
 */
function npm() {
  const { npm_execpath: script, npm_node_execpath: node } = process.env
  const usable =
    script?.endsWith('.js') && existsSync(script) && node !== undefined && !isOurs(node) && existsSync(node)
  return usable ? { command: node, args: [script] } : { command: 'npm', args: [] }
}

function outerPath() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => !isOurs(folder + sep))
    .join(delimiter)
}

function isOurs(path) {
  return path.startsWith(modules + sep)
}

/**
 * Checks the Node.js of later scripts, which must run TypeScript directly: the Node.js in node_modules, else the
 * machine's. Deletes the link to a Node.js in node_modules that does not run. Throws `SetupFailed` for an old Node.js.
 */
function checkNode() {
  const link = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  if (existsSync(link)) {
    if (spawnSync(link, ['--version'], { shell: process.platform === 'win32' }).status === 0) return
    rmSync(link)
  }
  const outer = spawnSync('node', ['--version'], { env: { ...process.env, PATH: outerPath() }, encoding: 'utf8' })
  const version = (outer.stdout ?? process.version).trim()
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return
  throw new SetupFailed(
    `Node.js ${version} is too old and none could be installed for ${process.platform}-${process.arch}; ` +
      `install Node.js ${oldestNode.join('.')} or newer`,
  )
}

/** Runs `work` under a lock on this folder. The lock of a dead process is taken over. */
async function locked(work) {
  const mine = `${lockFolder}.${process.pid}`
  rmSync(mine, { recursive: true, force: true })
  mkdirSync(mine, { recursive: true })
  writeFileSync(join(mine, 'owner'), owner(process.pid))
  try {
    await acquire(mine)
  } finally {
    rmSync(mine, { recursive: true, force: true })
  }
  try {
    return await work()
  } finally {
    rmSync(lockFolder, { recursive: true, force: true })
  }
}

function owner(pid) {
  return `${pid} ${hostname()}`
}

/**
 * Takes the lock by renaming a folder. A rename onto a folder that contains a file fails on every system, so exactly
 * one of two processes succeeds.
 */
async function acquire(mine) {
  const deadline = Date.now() + waitMinutes * 60_000
  for (let isReported = false; !tryRename(mine, lockFolder);) {
    const holder = read(join(lockFolder, 'owner'))
    if (holder !== undefined && isDead(holder)) {
      breakLock(holder)
      continue
    }
    if (Date.now() > deadline) {
      throw new SetupFailed(`another setup has run for ${waitMinutes} minutes; stop it or delete ${lockFolder}`)
    }
    if (!isReported) console.error('setup: waiting for another setup of this folder')
    isReported = true
    await sleep(100)
  }
}

function tryRename(from, to) {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    const taken =
      ['ENOTEMPTY', 'EEXIST'].includes(error.code) || (process.platform === 'win32' && error.code === 'EPERM')
    if (taken || !existsSync(from)) return false
    throw error
  }
}

function isDead(holder) {
  const [pid, host] = holder.trim().split(' ')
  if (host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/**
 * Moves the lock of a dead process aside. If a live process has taken the lock in the meantime, its lock is put back.
 */
function breakLock(holder) {
  const aside = `${lockFolder}.stale.${process.pid}`
  if (!tryRename(lockFolder, aside)) return
  if (read(join(aside, 'owner')) !== holder) tryRename(aside, lockFolder)
  rmSync(aside, { recursive: true, force: true })
}
