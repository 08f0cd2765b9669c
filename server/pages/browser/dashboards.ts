import { PanelView } from './panel.ts'
import { sections } from './panels.ts'
import { gridOf } from './query.ts'
import { signInPath, signOut } from './session.ts'

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })

/** Returns an element of the page. Throws if the page has no such element, which is a defect of the page. */
function required<T extends Element>(selector: string, kind: new () => T): T {
  const found = document.querySelector(selector)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${selector}`)
}

const main = required('#panels', HTMLElement)
const range = required('#range', HTMLSelectElement)
const refresh = required('#refresh', HTMLSelectElement)
const status = required('#status', HTMLElement)
const path = main.dataset['query'] ?? ''

const views = sections.map(({ panels, title }) => ({ title, panels: panels.map(panel => new PanelView(panel)) }))
const all = views.flatMap(({ panels }) => panels)
const blocks = views.map(block)
main.append(...blocks.map(({ element }) => element))

let timer: ReturnType<typeof setTimeout> | undefined
let turn = 0

/** Makes the block of a section, which is hidden while all its charts are. */
function block({ panels, title }: (typeof views)[number]) {
  const element = document.createElement('section')
  const heading = document.createElement('h2')
  const grid = document.createElement('div')
  heading.textContent = title
  grid.className = 'grid'
  grid.append(...panels.map(panel => panel.element))
  element.append(heading, grid)
  const hide = (): void => void (element.hidden = panels.every(panel => panel.element.hidden))
  hide()
  return { element, hide }
}

/** Updates all charts and plans the next update. An update that begins later replaces this update. */
async function update(): Promise<void> {
  clearTimeout(timer)
  turn += 1
  const own = turn
  main.setAttribute('aria-busy', 'true')
  const grid = gridOf(Number(range.value), Date.now())
  const results = await Promise.allSettled(all.map(view => view.update(path, grid)))
  for (const { hide } of blocks) hide()
  if (own !== turn) return
  const failed = results.find(result => result.status === 'rejected')
  main.setAttribute('aria-busy', 'false')
  status.textContent = failed ? `Not updated: ${String(failed.reason?.message)}` : `Updated ${clock.format(Date.now())}`
  plan()
}

function plan(): void {
  clearTimeout(timer)
  const seconds = Number(refresh.value)
  if (seconds > 0 && !document.hidden) timer = setTimeout(() => void update(), seconds * 1000)
}

range.addEventListener('change', () => void update())
refresh.addEventListener('change', plan)
required('#update', HTMLButtonElement).addEventListener('click', () => void update())
document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : void update()))
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const view of all) view.redraw()
})
required('#sign-out', HTMLButtonElement).addEventListener('click', async () => {
  clearTimeout(timer)
  await signOut()
  location.assign(signInPath)
})

await update()
