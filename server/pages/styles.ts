/** The styles of all pages. */
export const sharedStyles = `
:root {
  color-scheme: light dark;
  --page: #f4f6f8; --card: #fff; --text: #1b2430; --dim: #5a6675; --edge: #dde2e8; --accent: #1f5fbf; --wrong: #b3261e;
  --axis: #5a6675; --grid: #e9edf1;
  --line-1: #1f6fd6; --line-2: #d9761a; --line-3: #1c9a6c; --line-4: #c23b6b;
  --line-5: #7a55c7; --line-6: #0f93a8; --line-7: #8f7a10; --line-8: #6b7785;
  --line-9: #b5462a; --line-10: #3a4fc4; --line-11: #5f8a1f; --line-12: #a3389f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12171d; --card: #1a2129; --text: #e6ebf0; --dim: #9aa7b5; --edge: #2b3541; --accent: #7fb2ff; --wrong: #ff8a80;
    --axis: #9aa7b5; --grid: #27303a;
    --line-1: #5ba3ff; --line-2: #ffab5e; --line-3: #4fcf9f; --line-4: #ff7da8;
    --line-5: #b394ff; --line-6: #4fcfe0; --line-7: #d8c24a; --line-8: #9fadbb;
    --line-9: #ff8f70; --line-10: #93a2ff; --line-11: #a9d65c; --line-12: #ec8fe8;
  }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, sans-serif }
h1 { margin: 0; font-size: 17px; font-weight: 600 }
.brand { color: var(--accent) }
a { color: var(--accent) }
button, input, select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge);
  border-radius: 6px; padding: 5px 10px }
button { cursor: pointer }
button:disabled { cursor: default; opacity: 0.6 }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
[hidden] { display: none !important }
.sign-in { max-width: 340px; margin: 12vh auto 0; padding: 28px; background: var(--card); border: 1px solid var(--edge);
  border-radius: 12px }
.sign-in form { display: grid; gap: 6px; margin-top: 18px }
.sign-in button { margin-top: 12px; padding: 8px; background: var(--accent); border-color: var(--accent); color: var(--card);
  font-weight: 600 }
.sign-in input { padding: 8px 10px; margin-bottom: 6px }
#message { margin: 6px 0 0; min-height: 1.45em; color: var(--wrong) }
`

/** The further styles of the page of dashboards. */
export const dashboardStyles = `
header { position: sticky; top: 0; z-index: 10; display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center;
  padding: 10px 24px; background: var(--card); border-bottom: 1px solid var(--edge) }
.controls { display: flex; flex-wrap: wrap; gap: 8px; align-items: center }
.controls label { color: var(--dim) }
#status { margin: 0; color: var(--dim); font-variant-numeric: tabular-nums }
nav { display: flex; gap: 16px; align-items: center; margin-left: auto }
main { padding: 6px 24px 40px }
h2 { margin: 22px 0 10px; font-size: 13px; font-weight: 600; color: var(--dim); text-transform: uppercase;
  letter-spacing: 0.06em }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(420px, 100%), 1fr)); gap: 16px }
.panel { min-width: 0; padding: 14px 16px 10px; background: var(--card); border: 1px solid var(--edge); border-radius: 10px }
h3 { margin: 0 0 6px; font-size: 14px; font-weight: 600 }
.plot { height: 180px; border-radius: 4px }
.message { float: right; margin: -27px 0 0; color: var(--dim) }
.panel ul { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 6px 0 0; padding: 0; list-style: none }
.panel li { display: flex; gap: 6px; align-items: center; font-variant-numeric: tabular-nums }
.panel li button { display: flex; gap: 6px; align-items: center; padding: 1px 2px; background: none; border: 0 }
.panel li button[aria-pressed='false'] { color: var(--dim); text-decoration: line-through }
.mark { width: 10px; height: 3px; border-radius: 2px }
.panel li button[aria-pressed='false'] .mark { opacity: 0.3 }
.value { color: var(--dim) }
.readout { float: right; margin: 2px 0 0; color: var(--dim); font-size: 12px; font-variant-numeric: tabular-nums }
.readout:empty { display: none }
details { margin-top: 6px; color: var(--dim); font-size: 12px }
summary { cursor: pointer; width: max-content }
table { width: 100%; margin-top: 6px; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: 3px 6px; text-align: right; border-top: 1px solid var(--edge) }
thead th { border-top: 0; font-weight: 500 }
th:first-child { text-align: left; font-weight: 500; color: var(--text) }
`
