// Command oracle evaluates PromQL with the engine of Prometheus. It reads one JSON document with series and queries from
// its standard input, and writes one line of JSON for each query.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

type series struct {
	Labels map[string]string `json:"labels"`
	Times  []int64           `json:"times"`
	// Numbers as JSON cannot say all of them; "stale" marks the end of a series.
	Values []string `json:"values"`
}

type query struct {
	Query string `json:"query"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	// Zero for a query at one time.
	Step int64 `json:"step"`
}

type point struct {
	Time  int64  `json:"time"`
	Value string `json:"value"`
}

type element struct {
	Labels map[string]string `json:"labels"`
	Points []point           `json:"points"`
}

type answer struct {
	Error    string    `json:"error,omitempty"`
	Type     string    `json:"type,omitempty"`
	Elements []element `json:"elements"`
}

func main() {
	if err := run(); err != nil {
		println(err.Error())
		os.Exit(1)
	}
}

func run() error {
	var input struct {
		Series  []series `json:"series"`
		Queries []query  `json:"queries"`
	}
	if err := json.NewDecoder(bufio.NewReader(os.Stdin)).Decode(&input); err != nil {
		return err
	}
	store, err := newMemory(input.Series)
	if err != nil {
		return err
	}
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples:               50_000_000,
		Timeout:                  time.Minute,
		EnableAtModifier:         true,
		EnableNegativeOffset:     true,
		NoStepSubqueryIntervalFn: func(int64) int64 { return 60_000 },
		Parser:                   parser.NewParser(parser.Options{}),
	})
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for _, each := range input.Queries {
		if err := encoder.Encode(evaluate(engine, store, each)); err != nil {
			return err
		}
	}
	return out.Flush()
}

func evaluate(engine *promql.Engine, store storage.Queryable, each query) answer {
	ctx := context.Background()
	var prepared promql.Query
	var err error
	if each.Step == 0 {
		prepared, err = engine.NewInstantQuery(ctx, store, nil, each.Query, time.UnixMilli(each.Start))
	} else {
		step := time.Duration(each.Step) * time.Millisecond
		prepared, err = engine.NewRangeQuery(ctx, store, nil, each.Query, time.UnixMilli(each.Start), time.UnixMilli(each.End), step)
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	defer prepared.Close()
	result := prepared.Exec(ctx)
	if result.Err != nil {
		return answer{Error: result.Err.Error()}
	}
	return answerOf(result.Value)
}

func answerOf(result parser.Value) answer {
	found := answer{Type: string(result.Type()), Elements: []element{}}
	switch typed := result.(type) {
	case promql.Scalar:
		found.Elements = append(found.Elements, element{Points: []point{{typed.T, format(typed.V)}}})
	case promql.String:
		found.Elements = append(found.Elements, element{Points: []point{{typed.T, typed.V}}})
	case promql.Vector:
		for _, sample := range typed {
			found.Elements = append(found.Elements, element{sample.Metric.Map(), []point{{sample.T, format(sample.F)}}})
		}
	case promql.Matrix:
		for _, row := range typed {
			points := []point{}
			for _, each := range row.Floats {
				points = append(points, point{each.T, format(each.F)})
			}
			found.Elements = append(found.Elements, element{row.Metric.Map(), points})
		}
	}
	return found
}

func format(number float64) string {
	return strconv.FormatFloat(number, 'g', -1, 64)
}

// memory is a store of series in the order of their labels.
type memory struct {
	series []promql.Series
}

func newMemory(all []series) (*memory, error) {
	store := &memory{}
	for _, each := range all {
		row := promql.Series{Metric: labels.FromMap(each.Labels)}
		for i, text := range each.Values {
			number := math.Float64frombits(value.StaleNaN)
			if text != "stale" {
				var err error
				if number, err = strconv.ParseFloat(text, 64); err != nil {
					return nil, errors.Join(errors.New("a value is no number"), err)
				}
			}
			row.Floats = append(row.Floats, promql.FPoint{T: each.Times[i], F: number})
		}
		store.series = append(store.series, row)
	}
	sort.Slice(store.series, func(i, j int) bool {
		return labels.Compare(store.series[i].Metric, store.series[j].Metric) < 0
	})
	return store, nil
}

func (m *memory) Querier(mint, maxt int64) (storage.Querier, error) {
	return &querier{m, mint, maxt}, nil
}

type querier struct {
	memory     *memory
	mint, maxt int64
}

func (q *querier) Select(_ context.Context, _ bool, hints *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	mint, maxt := q.mint, q.maxt
	if hints != nil {
		mint, maxt = hints.Start, hints.End
	}
	found := []storage.Series{}
	for _, row := range q.memory.series {
		if !matches(row.Metric, matchers) {
			continue
		}
		cut := promql.Series{Metric: row.Metric}
		for _, each := range row.Floats {
			if each.T >= mint && each.T <= maxt {
				cut.Floats = append(cut.Floats, each)
			}
		}
		if len(cut.Floats) > 0 {
			found = append(found, promql.NewStorageSeries(cut))
		}
	}
	return &seriesSet{found, -1}
}

func matches(metric labels.Labels, matchers []*labels.Matcher) bool {
	for _, matcher := range matchers {
		if !matcher.Matches(metric.Get(matcher.Name)) {
			return false
		}
	}
	return true
}

func (*querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (*querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (*querier) Close() error { return nil }

type seriesSet struct {
	series []storage.Series
	at     int
}

func (s *seriesSet) Next() bool {
	s.at++
	return s.at < len(s.series)
}

func (s *seriesSet) At() storage.Series              { return s.series[s.at] }
func (*seriesSet) Err() error                        { return nil }
func (*seriesSet) Warnings() annotations.Annotations { return nil }
