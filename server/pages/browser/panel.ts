import type { Panel, PanelQuery } from './panels.ts'
import { colourOf, Plot, type Plotted } from './plot.ts'
import { lines, timesOf, type Line, type TimeGrid } from './query.ts'
import { written } from './scales.ts'
import { fillTable, lastOf, type NamedLine } from './table.ts'

const instant = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })

let made = 0

/** A chart of the page, with its legend and its table. */
export class PanelView {
  readonly element = document.createElement('section')
  readonly #panel: Panel
  readonly #title = document.createElement('h3')
  readonly #host = document.createElement('div')
  readonly #message = document.createElement('p')
  readonly #legend = document.createElement('ul')
  readonly #readout = document.createElement('p')
  readonly #table = document.createElement('table')
  readonly #hidden = new Set<string>()
  #plot: Plot | undefined
  #shown: Plotted | undefined
  #index: number | undefined

  constructor(panel: Panel) {
    this.#panel = panel
    made += 1
    this.element.className = 'panel'
    this.#title.id = `panel-${made}`
    this.#title.textContent = panel.title
    this.element.setAttribute('aria-labelledby', this.#title.id)
    this.#host.className = 'plot'
    this.#host.tabIndex = 0
    this.#host.setAttribute('role', 'img')
    this.#host.addEventListener('keydown', event => this.#keyPressed(event))
    this.#host.addEventListener('blur', () => this.#plot?.point(undefined))
    this.#message.className = 'message'
    this.#readout.className = 'readout'
    this.#readout.setAttribute('role', 'status')
    const details = document.createElement('details')
    const summary = document.createElement('summary')
    summary.textContent = 'Table'
    this.#table.setAttribute('aria-labelledby', this.#title.id)
    details.append(summary, this.#table)
    this.element.append(this.#title, this.#message, this.#host, this.#legend, this.#readout, details)
    new ResizeObserver(() => this.#plot?.fit()).observe(this.#host)
    this.element.hidden = panel.isOptional ?? false
  }

  /** Queries the lines at a path of the API and shows them, or the error of the query. Throws the error. */
  async update(path: string, grid: TimeGrid): Promise<void> {
    const { queries, unit } = this.#panel
    try {
      const found = await Promise.all(queries.map(async each => named(each, await lines(path, each.query, grid))))
      this.#show({ unit, times: timesOf(grid), lines: found.flat() })
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error))
      throw error
    }
  }

  /** Draws the chart again, with the present colours. */
  redraw(): void {
    this.#plot?.end()
    this.#plot = undefined
    if (this.#shown) this.#show(this.#shown)
  }

  #show(plotted: Plotted): void {
    const names = (each: Plotted | undefined): string => JSON.stringify(each?.lines.map(({ name }) => name))
    const isSame = this.#plot !== undefined && names(plotted) === names(this.#shown)
    this.#shown = plotted
    const hasLines = plotted.lines.length > 0
    this.element.hidden = !hasLines && this.#panel.isOptional === true
    this.#say(hasLines ? '' : 'No samples in this time.')
    this.#host.setAttribute('aria-label', this.#spoken(plotted))
    fillTable(this.#table, plotted.lines, plotted.unit)
    if (isSame) this.#plot?.update(plotted)
    else this.#draw(plotted)
    this.#writeValues()
  }

  #draw(plotted: Plotted): void {
    this.#plot?.end()
    this.#plot = new Plot(this.#host, plotted, index => {
      this.#index = index
      this.#writeValues()
    })
    this.#legend.replaceChildren(...plotted.lines.map(({ name }, index) => this.#entry(name, index)))
    for (const [index, { name }] of plotted.lines.entries()) if (this.#hidden.has(name)) this.#plot.show(index, false)
  }

  /** Makes the entry of a line in the legend: a button that shows or hides the line, and the value of the line. */
  #entry(name: string, index: number): HTMLLIElement {
    const entry = document.createElement('li')
    const button = document.createElement('button')
    const mark = document.createElement('span')
    const value = document.createElement('span')
    button.type = 'button'
    button.setAttribute('aria-pressed', String(!this.#hidden.has(name)))
    mark.className = 'mark'
    mark.style.background = `var(${colourOf(index)})`
    value.className = 'value'
    button.append(mark, name)
    button.addEventListener('click', () => {
      const isShown = this.#hidden.delete(name)
      if (!isShown) this.#hidden.add(name)
      button.setAttribute('aria-pressed', String(isShown))
      this.#plot?.show(index, isShown)
    })
    entry.append(button, value)
    return entry
  }

  /** Writes the values at the time under the pointer, or the last values, into the legend. */
  #writeValues(): void {
    if (this.#shown === undefined) return
    const { lines: shown, times, unit } = this.#shown
    const at = this.#index
    const values = [...this.#legend.querySelectorAll('.value')]
    for (const [index, line] of shown.entries()) {
      const element = values[index]
      if (element) element.textContent = written(at === undefined ? lastOf(line.values) : line.values[at], unit)
    }
    const time = at === undefined ? undefined : times[at]
    this.#readout.textContent = time === undefined ? '' : instant.format(time * 1000)
  }

  /** Returns the chart in words: the last values of its lines. */
  #spoken({ lines: shown, unit }: Plotted): string {
    const texts = shown.map(({ name, values }) => `${name} ${written(lastOf(values), unit)}`)
    return `${this.#panel.title}: ${texts.length > 0 ? texts.join(', ') : 'no samples'}`
  }

  #keyPressed(event: KeyboardEvent): void {
    const last = (this.#shown?.times.length ?? 0) - 1
    const at = this.#index ?? last
    const targets = new Map([
      ['ArrowLeft', Math.max(at - 1, 0)],
      ['ArrowRight', Math.min(at + 1, last)],
      ['Home', 0],
      ['End', last],
    ])
    const target = targets.get(event.key)
    if (last < 0 || (target === undefined && event.key !== 'Escape')) return
    event.preventDefault()
    this.#plot?.point(target)
  }

  #say(text: string): void {
    this.#message.textContent = text
    this.#message.hidden = text === ''
  }
}

/** Gives the lines of a query their names. */
const named = ({ label, name, unlabelled = '' }: PanelQuery, found: readonly Line[]): readonly NamedLine[] =>
  found
    .map(({ labels, values }) => ({ name: name ?? (labels[label ?? ''] || unlabelled), values }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
