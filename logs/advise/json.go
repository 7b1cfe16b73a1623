package advise

import (
	"encoding/json"

	"ratelab/internal/spec"
	"ratelab/logs"
)

// The document that WriteJSON writes. Times and waits are seconds, exactly.
type document struct {
	Log      logFacts       `json:"log"`
	Choices  []string       `json:"choices"`
	Warnings []string       `json:"warnings"`
	World    worldFacts     `json:"world"`
	Goals    goalFacts      `json:"goals"`
	Advice   string         `json:"advice"`
	Because  []string       `json:"because"`
	Next     string         `json:"next"`
	Changes  []changeFacts  `json:"changes"`
	Demands  []demandFacts  `json:"demands"`
	Configs  []configFacts  `json:"configurations"`
	Limits   []candidateFct `json:"limits"`
}

type logFacts struct {
	Files   []logs.File `json:"files"`
	Refused int         `json:"requests_refused"`
	Retries int         `json:"retries"`
	Within  string      `json:"retry_within"`
}

type worldFacts struct {
	Clients      string `json:"clients"`
	Servers      int    `json:"servers"`
	Balancer     string `json:"balancer"`
	Coordination string `json:"coordination"`
	RTT          string `json:"rtt"`
}

type goalFacts struct {
	Protect  string      `json:"protect,omitempty"`
	Promise  string      `json:"promise,omitempty"`
	Tolerate json.Number `json:"tolerate"`
	Wait     json.Number `json:"wait"`
	Window   string      `json:"one_key_window"`
	Total    string      `json:"all_keys_window"`
}

type candidateFct struct {
	Rate  string `json:"rate"`
	Burst int64  `json:"burst"`
	From  string `json:"from"`
}

type changeFacts struct {
	Goal    string `json:"goal"`
	When    string `json:"when"`
	Limiter string `json:"limiter"`
}

type demandFacts struct {
	Demand   string         `json:"demand"`
	Requests int            `json:"requests"`
	First    json.Number    `json:"first_at"`
	Last     json.Number    `json:"last_at"`
	Chosen   string         `json:"chosen"`
	Outcomes []outcomeFacts `json:"limiters"`
	Unsuited []Unsuited     `json:"left_out,omitempty"`
}

type outcomeFacts struct {
	Limiter  string      `json:"limiter"`
	Requests int64       `json:"requests"`
	Attempts int64       `json:"attempts"`
	Refused  int64       `json:"refused"`
	TimedOut int64       `json:"timed_out"`
	Lost     int64       `json:"lost"`
	Waiting  int64       `json:"waiting"`
	Keys     int         `json:"keys_refused"`
	Worst    *worstFacts `json:"worst_key"`
	OneKey   int64       `json:"one_key"`
	Total    int64       `json:"all_keys"`
	Mean     json.Number `json:"mean_wait"`
	Longest  json.Number `json:"longest_wait"`
	Bytes    int64       `json:"bytes"`
	Held     int         `json:"keys"`
	Copies   int         `json:"copies"`
	Promise  *keptFacts  `json:"promise,omitempty"`
}

type worstFacts struct {
	Key      string `json:"key"`
	Attempts int64  `json:"attempts"`
	Refused  int64  `json:"refused"`
	Minute   int64  `json:"busiest_minute"` // of all keys, Unix seconds
	InMinute int64  `json:"busiest_minute_refused"`
}

type keptFacts struct {
	Keys    int   `json:"keys"`
	Broken  int   `json:"broken"`
	Refused int64 `json:"refused"`
	Short   int   `json:"short"`
}

type configFacts struct {
	Program     string   `json:"program"`
	Text        string   `json:"text"`
	Spec        string   `json:"decides_as,omitempty"`
	Says        []string `json:"says"`
	OnlyRefused int64    `json:"only_refused"`
	OnlyPassed  int64    `json:"only_admitted"`
	Held        int64    `json:"held"`
	Fault       string   `json:"fault,omitempty"`
}

func seconds(ns int64) json.Number { return json.Number(logs.FormatSeconds(ns)) }

func (r *Report) document() document {
	main, g, w := r.Demands[0], r.Options.Goals, r.Options.World
	d := document{
		Log:      logFacts{r.Input.Fit.Log.Files, r.Input.Refused, r.Input.Fit.Retries, spec.FormatDuration(r.Options.Within)},
		Choices:  append([]string{}, r.Fit.Choices()...),
		Warnings: append([]string{}, r.Fit.Warnings()...),
		World:    worldFacts{"none", w.Servers, w.Balancer.String(), w.Coordination.String(), w.RTT.String()},
		Goals:    goalFacts{Wait: seconds(int64(g.Wait)), Window: spec.FormatDuration(r.Meter.Key), Total: spec.FormatDuration(r.Meter.Total)},
		Advice:   r.Best().Limiter.String(), Because: r.Reasons(main), Next: r.NextBest(main),
		Changes: []changeFacts{}, Configs: []configFacts{}, Limits: []candidateFct{},
	}
	if w.Clients.Feedback() {
		d.World.Clients = w.Clients.String()
	}
	tolerate, _ := g.Tolerate.Float64()
	text, _ := json.Marshal(tolerate)
	d.Goals.Tolerate = json.Number(text)
	if g.Protect != nil {
		d.Goals.Protect = g.Protect.Text
	}
	if g.Promise != nil {
		d.Goals.Promise = g.Promise.String()
	}
	for _, c := range r.Candidates {
		d.Limits = append(d.Limits, candidateFct{c.Rate.Text, c.Burst, c.From})
	}
	for _, c := range main.Changes {
		d.Changes = append(d.Changes, changeFacts{c.Goal, c.When, main.Outcomes[c.Other].Limiter.String()})
	}
	for _, each := range r.Demands {
		facts := demandFacts{
			Demand: each.Name, Requests: len(each.Records), First: seconds(each.Records[0].At), Last: seconds(each.Records[len(each.Records)-1].At),
			Chosen: each.Outcomes[each.Best].Limiter.String(), Unsuited: each.Unsuited,
		}
		for _, o := range each.Outcomes {
			facts.Outcomes = append(facts.Outcomes, r.facts(o))
		}
		d.Demands = append(d.Demands, facts)
	}
	for _, c := range r.Configs {
		f := configFacts{Program: c.Program, Text: c.Text, Says: append([]string{}, c.Says...), OnlyRefused: c.Difference.OnlyRefused,
			OnlyPassed: c.Difference.OnlyPassed, Held: c.Difference.Held, Fault: c.Fault}
		if !c.Spec.IsZero() {
			f.Spec = c.Spec.String()
		}
		d.Configs = append(d.Configs, f)
	}
	return d
}

func (r *Report) facts(o *Outcome) outcomeFacts {
	f := outcomeFacts{
		Limiter: o.Limiter.String(), Requests: o.Requests, Attempts: o.Attempts, Refused: o.Refused, TimedOut: o.TimedOut, Lost: o.Lost,
		Waiting: o.Waiting, Keys: o.KeysRefused, OneKey: o.OneKey, Total: o.Total, Mean: seconds(int64(o.MeanWait)), Longest: seconds(int64(o.MaxWait)),
		Bytes: o.Bytes, Held: o.KeysHeld, Copies: o.Copies,
	}
	if o.Refused > 0 {
		f.Worst = &worstFacts{r.name(o.Worst.Key), o.Worst.Requests, o.Worst.Refused, o.Minute, o.InMinute}
	}
	if k := o.Promise; k != nil {
		f.Promise = &keptFacts{k.Keys, k.Broken, k.Refused, k.Short}
	}
	return f
}
