import type { Stage } from '../language/log-expression.ts'
import type { EntryLabels } from './entry-labels.ts'
import { dropLabels, keepLabels, labelFormat, lineFormat } from './format-stages.ts'
import { jsonExtraction, jsonParser } from './json-parser.ts'
import { labelFilter } from './label-filter.ts'
import { lineTest, type LineTest } from './line-filter.ts'
import { logfmtExtraction, logfmtParser } from './logfmt-parser.ts'
import type { StageFunction } from './stage-function.ts'
import { patternParser, regexpParser } from './text-parsers.ts'
import { WantedLabels } from './wanted-labels.ts'

/** The stages of a log query as one function. */
export class Pipeline {
  readonly #first: readonly LineTest[]
  readonly #rest: readonly StageFunction[]

  /** `wanted` are the labels that the query needs of parsers. */
  constructor(stages: readonly Stage[], wanted = WantedLabels.all) {
    const tests: LineTest[] = []
    let index = 0
    for (let stage = stages[0]; stage?.kind === 'line-filter'; stage = stages[index]) {
      tests.push(lineTest(stage))
      index += 1
    }
    this.#first = tests
    this.#rest = stages.slice(index).map(stage => stageFunction(stage, wanted))
  }

  /** Whether a line passes the line filters before the first other stage, which need no labels. */
  admits(line: string): boolean {
    for (const test of this.#first) if (!test(line)) return false
    return true
  }

  /** Runs the stages after those filters; returns the line that they make, or undefined if one refuses the entry. */
  run(line: string, labels: EntryLabels): string | undefined {
    let current: string | undefined = line
    for (const stage of this.#rest) {
      current = stage(current, labels)
      if (current === undefined) return undefined
    }
    return current
  }
}

function stageFunction(stage: Stage, wanted: WantedLabels): StageFunction {
  switch (stage.kind) {
    case 'line-filter': {
      const test = lineTest(stage)
      return line => (test(line) ? line : undefined)
    }
    case 'json':
      return stage.extractions === undefined ? jsonParser(wanted) : jsonExtraction(stage.extractions, wanted)
    case 'logfmt':
      return stage.extractions === undefined
        ? logfmtParser(stage, wanted)
        : logfmtExtraction(stage.extractions, stage.strict, wanted)
    case 'regexp':
      return regexpParser(stage, wanted)
    case 'pattern':
      return patternParser(stage.parts, wanted)
    case 'label-filter':
      return labelFilter(stage.condition)
    case 'line_format':
      return lineFormat(stage.template)
    case 'label_format':
      return labelFormat(stage)
    case 'drop':
      return dropLabels(stage)
    case 'keep':
      return keepLabels(stage)
  }
}
