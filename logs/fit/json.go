package fit

import (
	"encoding/json"
	"io"

	"ratelab/internal/spec"
	"ratelab/logs"
)

// The document that WriteJSON writes. Durations are texts of package spec, times Unix seconds, exactly.
type document struct {
	Log            logFacts       `json:"log"`
	Choices        []string       `json:"choices"`
	Warnings       []string       `json:"warnings"`
	Unfit          bool           `json:"unfit"`
	Raw            analysisFacts  `json:"raw"`
	WithoutRetries *analysisFacts `json:"without_retries"`
}

type logFacts struct {
	Files     []logs.File    `json:"files"`
	Lines     int64          `json:"lines"`
	Bad       int64          `json:"lines_bad"`
	BadLines  []logs.BadLine `json:"first_bad_lines"`
	Reordered int64          `json:"lines_reordered"`
	Refused   int            `json:"requests_refused"`
	Retries   int            `json:"retries"`
	Within    string         `json:"retry_within"`
}

type analysisFacts struct {
	Requests  int             `json:"requests"`
	Keys      int             `json:"keys"`
	Work      int64           `json:"work"`
	First     json.Number     `json:"first_at"`
	Last      json.Number     `json:"last_at"`
	Grain     string          `json:"stamps_cut_to"` // empty: exact
	Clock     clockFacts      `json:"clock"`
	Frontier  []pointFacts    `json:"frontier"`
	Windows   []windowFacts   `json:"windows"`
	Knee      *kneeFacts      `json:"knee"` // of keys
	KneeOfAll *kneeFacts      `json:"knee_of_requests"`
	HalfKnees []*pointFacts   `json:"knees_of_halves"`
	Stability []stabilityFact `json:"stability"`
	Refused   *refusedFacts   `json:"refused_by_knee"`
}

type clockFacts struct {
	Hours   int `json:"hours"`
	Minutes int `json:"minutes_of_99_percent"`
	From    int `json:"from_minute"`
}

type pointFacts struct {
	Rate     string      `json:"rate"`
	Of       Of          `json:"of"`
	Quantile json.Number `json:"quantile"`
	Burst    int64       `json:"burst"`
	Low      int64       `json:"low"`
	High     int64       `json:"high"`
}

type windowFacts struct {
	Window   string      `json:"window"`
	Limiter  WindowKind  `json:"limiter"`
	Of       Of          `json:"of"`
	Quantile json.Number `json:"quantile"`
	Limit    int64       `json:"limit"`
	Low      int64       `json:"low"`
	High     int64       `json:"high"`
}

type kneeFacts struct {
	pointFacts
	Limiter string `json:"limiter"`
}

type stabilityFact struct {
	Quantile json.Number `json:"quantile"`
	Burst    int64       `json:"burst"`
	First    int64       `json:"first_half"`
	Second   int64       `json:"second_half"`
	Low      *int64      `json:"resampled_low"`
	High     *int64      `json:"resampled_high"`
}

type refusedFacts struct {
	Requests int           `json:"requests"`
	Keys     int           `json:"keys"`
	Worst    []misfitFacts `json:"worst"`
	Fitting  []misfitFacts `json:"neediest_that_fit"`
}

type misfitFacts struct {
	Key       string `json:"key"`
	Requests  int    `json:"requests"`
	Refused   int    `json:"refused"`
	Burst     int64  `json:"burst"`
	Agents    int    `json:"user_agents"` // 0: the log does not say
	Sustained bool   `json:"sustained"`
	Why       string `json:"why"`
}

// WriteJSON writes the report as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	in := r.Input
	d := document{
		Log: logFacts{
			Files: in.Log.Files, Lines: in.Log.Lines, Bad: in.Log.Bad, BadLines: []logs.BadLine{}, Reordered: in.Log.Reordered,
			Refused: in.Refused, Retries: in.Retries, Within: spec.FormatDuration(r.Within),
		},
		Choices:  append([]string{}, r.Choices()...),
		Warnings: append([]string{}, r.Warnings()...),
		Unfit:    r.Unfit() != "",
		Raw:      r.facts(r.Raw),
	}
	if r.Names == nil { // a bad line may hold what is to be hidden
		d.Log.BadLines = append(d.Log.BadLines, in.Log.BadLines...)
	}
	if r.WithoutRetries != nil {
		facts := r.facts(r.WithoutRetries)
		d.WithoutRetries = &facts
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(d)
}

func (r *Report) facts(a *Analysis) analysisFacts {
	f := analysisFacts{
		Requests: a.Requests, Keys: a.Keys, Work: a.Work,
		First: json.Number(logs.FormatSeconds(a.First)), Last: json.Number(logs.FormatSeconds(a.Last)),
		Clock: clockFacts{a.Clock.Hours, a.Clock.Minutes, a.Clock.From},
	}
	if a.Grain > 0 {
		f.Grain = GrainText(a.Grain)
	}
	for _, p := range a.Frontier.Points {
		f.Frontier = append(f.Frontier, p.facts())
	}
	for _, p := range a.Windows {
		f.Windows = append(f.Windows, windowFacts{spec.FormatDuration(p.Window), p.Kind, p.Of, p.Share.number(), p.Limit, p.Low, p.High})
	}
	if a.RequestKnee != nil {
		f.KneeOfAll = &kneeFacts{a.RequestKnee.facts(), a.RequestKnee.spec()}
	}
	if a.Knee == nil {
		return f
	}
	f.Knee = &kneeFacts{a.Knee.facts(), a.Knee.spec()}
	for _, knee := range a.HalfKnees {
		var half *pointFacts
		if knee != nil {
			facts := knee.facts()
			half = &facts
		}
		f.HalfKnees = append(f.HalfKnees, half)
	}
	for _, s := range a.Stability {
		fact := stabilityFact{Quantile: s.Share.number(), Burst: s.Burst, First: s.First, Second: s.Second}
		if s.HasInterval {
			fact.Low, fact.High = &s.Low, &s.High
		}
		f.Stability = append(f.Stability, fact)
	}
	f.Refused = &refusedFacts{
		Requests: a.Refusals.Requests, Keys: a.Refusals.Keys,
		Worst: r.misfits(a, a.Refusals.Misfits), Fitting: r.misfits(a, a.Refusals.Fitting),
	}
	return f
}

func (r *Report) misfits(a *Analysis, keys []Misfit) []misfitFacts {
	list := []misfitFacts{}
	for _, m := range keys {
		list = append(list, misfitFacts{
			Key: r.name(m.Key), Requests: m.Requests, Refused: m.Refused, Burst: m.Burst,
			Agents: r.Input.Log.Agents(uint32(m.Key)), Sustained: m.Sustained && m.Refused > 0, Why: m.why(work(a)),
		})
	}
	return list
}

func (p Point) facts() pointFacts {
	return pointFacts{p.Rate.Text, p.Of, p.Share.number(), p.Burst, p.Low, p.High}
}
