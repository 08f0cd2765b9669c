// Reads pages of metrics as Prometheus 3 reads them: a JSON line {"type", "page"} with the media type and the base64 of
// the page gives a JSON line {"fault"} or {"samples"} with labels, the bits of the value and the time.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

type given struct {
	Type string `json:"type"`
	Page []byte `json:"page"`
}

type sample struct {
	Labels map[string]string `json:"labels"`
	Value  string            `json:"value"`
	Time   *int64            `json:"time,omitempty"`
}

type read struct {
	Fault   string   `json:"fault,omitempty"`
	Samples []sample `json:"samples"`
}

func parse(page given) (result read) {
	result.Samples = []sample{}
	parser, err := textparse.New(page.Page, page.Type, labels.NewSymbolTable(), textparse.ParserOptions{})
	if parser == nil {
		result.Fault = err.Error()
		return
	}
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			result.Fault = err.Error()
			return
		}
		if entry != textparse.EntrySeries {
			continue
		}
		_, time, value := parser.Series()
		var all labels.Labels
		parser.Labels(&all)
		if !all.Has(labels.MetricName) || !all.IsValid(model.UTF8Validation) {
			result.Fault = "invalid labels"
			return
		}
		if _, twice := all.HasDuplicateLabelNames(); twice {
			result.Fault = "a label name is given twice"
			return
		}
		one := sample{Labels: all.Map(), Value: strconv.FormatUint(math.Float64bits(value), 16)}
		if time != nil {
			at := *time
			one.Time = &at
		}
		result.Samples = append(result.Samples, one)
	}
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var page given
		if err := json.Unmarshal(in.Bytes(), &page); err != nil {
			panic(err)
		}
		if err := out.Encode(parse(page)); err != nil {
			panic(err)
		}
	}
}
