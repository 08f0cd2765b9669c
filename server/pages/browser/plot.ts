import uPlot from 'uplot'
import { distancesOf, written, type Unit } from './scales.ts'
import type { NamedLine } from './table.ts'

/** The height of a chart in CSS pixels. */
const height = 180

/** The charts with this key show the same time under the pointer. */
const sync = 'dashboards'

/** The number of colours of lines, which are the custom properties `--line-1` and so on. */
export const colours = 12

/** What a chart shows. */
export interface Plotted {
  readonly unit: Unit
  /** The times in seconds since 1970, ascending. */
  readonly times: readonly number[]
  readonly lines: readonly NamedLine[]
}

/** Draws lines in an element. The colours are those of the style sheet at the time of the call. */
export class Plot {
  readonly #plot: uPlot
  readonly #host: HTMLElement

  /** `moved` receives the index of the time under the pointer; undefined without a pointer. */
  constructor(host: HTMLElement, plotted: Plotted, moved: (index: number | undefined) => void) {
    this.#host = host
    const hooks = { setCursor: [({ cursor }: uPlot) => moved(cursor.idx ?? undefined)] }
    this.#plot = new uPlot({ ...optionsOf(host, plotted), hooks }, dataOf(plotted), host)
  }

  /** Shows new values of the same lines. */
  update(plotted: Plotted): void {
    this.#plot.setData(dataOf(plotted))
  }

  /** Shows or hides a line. */
  show(index: number, isShown: boolean): void {
    this.#plot.setSeries(index + 1, { show: isShown })
  }

  /** Moves the pointer to a time, by its index; without an index, the pointer is hidden. */
  point(index: number | undefined): void {
    const time = index === undefined ? undefined : this.#plot.data[0][index]
    const left = time === undefined ? -10 : this.#plot.valToPos(time, 'x')
    this.#plot.setCursor({ left, top: time === undefined ? -10 : 10 })
  }

  /** Fits the chart to the width of its element. */
  fit(): void {
    this.#plot.setSize({ width: this.#host.clientWidth, height })
  }

  end(): void {
    this.#plot.destroy()
  }
}

const dataOf = ({ lines, times }: Plotted): uPlot.AlignedData => [[...times], ...lines.map(({ values }) => [...values])]

function optionsOf(host: HTMLElement, { lines, unit }: Plotted): uPlot.Options {
  const style = getComputedStyle(host)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const stroke = colour('--axis')
  const grid = { stroke: colour('--grid'), width: 1 }
  const font = `11px ${style.fontFamily}`
  return {
    width: host.clientWidth,
    height,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: sync }, points: { size: 6 } },
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
    axes: [
      { stroke, grid, ticks: grid, font, size: 28, values: clockTexts, space: 64 },
      {
        stroke,
        grid,
        ticks: { show: false },
        font,
        size: 58,
        incrs: distancesOf(unit),
        values: (_, ticks) => ticks.map(value => written(value, unit)),
      },
    ],
    series: [
      {},
      ...lines.map(({ name }, index) => ({
        label: name,
        stroke: colour(colourOf(index)),
        width: 1.5,
        spanGaps: false,
        points: { show: true, size: 4, filter: isolated },
      })),
    ],
  }
}

/** Returns the name of the custom property with the colour of a line. */
export const colourOf = (index: number): string => `--line-${(index % colours) + 1}`

/** Returns the indices of the values without neighbours, which no line would show. */
const isolated: uPlot.Series.Points.Filter = (plot, line) => {
  const values = plot.data[line] ?? []
  const has = (index: number): boolean => (values[index] ?? null) !== null
  return [...values.keys()].filter(index => has(index) && !has(index - 1) && !has(index + 1))
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const clockWithSeconds = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

/** Writes the times of the axis: the day at midnight, else the time of the day. */
const clockTexts: uPlot.Axis.DynamicValues = (_, times) =>
  times.map((seconds, index) => {
    const date = new Date(seconds * 1000)
    const before = times[index - 1]
    const isNewDay = before !== undefined && new Date(before * 1000).getDate() !== date.getDate()
    return isNewDay || isMidnight(date) ? day.format(date) : (isWhole(times) ? clock : clockWithSeconds).format(date)
  })

const isMidnight = (date: Date): boolean => date.getHours() === 0 && date.getMinutes() === 0

const isWhole = (times: readonly number[]): boolean => times.every(seconds => seconds % 60 === 0)
