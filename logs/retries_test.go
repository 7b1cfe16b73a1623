package logs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestARetryFollowsARefusalOfItsKeyAndPath(t *testing.T) {
	for name, c := range map[string]struct {
		requests [][4]int64 // key, path, at in s, status
		want     []bool
	}{
		"refused and back":                 {[][4]int64{{0, 0, 0, 429}, {0, 0, 5, 200}}, []bool{false, true}},
		"by 503 too":                       {[][4]int64{{0, 0, 0, 503}, {0, 0, 5, 200}}, []bool{false, true}},
		"an answer ends it":                {[][4]int64{{0, 0, 0, 429}, {0, 0, 5, 200}, {0, 0, 6, 200}}, []bool{false, true, false}},
		"retries of retries":               {[][4]int64{{0, 0, 0, 429}, {0, 0, 50, 429}, {0, 0, 100, 429}, {0, 0, 150, 200}}, []bool{false, true, true, true}},
		"another path":                     {[][4]int64{{0, 0, 0, 429}, {0, 1, 5, 200}, {0, 0, 6, 200}}, []bool{false, false, true}},
		"another key":                      {[][4]int64{{0, 0, 0, 429}, {1, 0, 5, 200}}, []bool{false, false}},
		"just in time":                     {[][4]int64{{0, 0, 0, 429}, {0, 0, 60, 200}}, []bool{false, true}},
		"too late":                         {[][4]int64{{0, 0, 0, 429}, {0, 0, 61, 200}, {0, 0, 62, 200}}, []bool{false, false, false}},
		"too late, and refused once again": {[][4]int64{{0, 0, 0, 429}, {0, 0, 61, 429}, {0, 0, 62, 200}}, []bool{false, false, true}},
		"errors are no refusals":           {[][4]int64{{0, 0, 0, 500}, {0, 0, 1, 404}, {0, 0, 2, 0}}, []bool{false, false, false}},
	} {
		retries := Retries{Within: time.Minute}
		var got []bool
		for _, r := range c.requests {
			got = append(got, retries.Retry(uint32(r[0]), uint32(r[1]), r[2]*second, uint16(r[3])))
		}
		assert.Equal(t, c.want, got, name)
	}
}
