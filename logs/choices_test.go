package logs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheOnlyColumnWithAUsualNameHoldsTheTimes(t *testing.T) {
	for header, want := range map[string]string{
		"TIMESTAMP,ContextTokens":    "TIMESTAMP",
		"timestamp,a":                "timestamp",
		"a,ts":                       "ts",
		"time,date_of_birth":         "time",
		"date,n":                     "date",
		"ts_unix_s,client_ip":        "ts_unix_s",
		"@timestamp,n":               "@timestamp",
		"Start_Time_UTC,n":           "Start_Time_UTC",
		" Time,n":                    " Time",
		"request_time,time_local,n":  "time_local",
		"t_ms,ts_ns,time_s,duration": "time_s",
	} {
		log, err := Read([]string{"-"}, Options{Stdin: strings.NewReader(header + "\n" + strings.Repeat("7,", strings.Count(header, ",")) + "7\n")})
		require.NoError(t, err, header)
		assert.Equal(t, want, log.Files[0].TimeColumn, header)
		assert.True(t, log.Files[0].TimeByName, header)
		assert.EqualValues(t, 7*second, log.Records[0].At, header)
	}
	log, err := Read([]string{"-"}, Options{Stdin: strings.NewReader("time,t,timestamp\n1,2,3\n")})
	require.NoError(t, err)
	assert.Equal(t, "t", log.Files[0].TimeColumn, "t is what the format has")
	assert.False(t, log.Files[0].TimeByName)
	for _, header := range []string{"t_ms,n", "duration,uptime", "timeout,n"} {
		_, err := Read([]string{"-"}, Options{Stdin: strings.NewReader(header + "\n7,7\n")})
		assert.ErrorContains(t, err, `no column "t"`, header)
	}
}

func TestChoicesAreSaidOnce(t *testing.T) {
	one, two := write(t, "1.csv", "ts,client_ip,User\n1,a,b\n"), write(t, "2.csv", "ts,client_ip,User\n2,a,b\n")
	log, err := Read([]string{one, two}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{
		`the times are those of the column "ts", by its name; --time names another`,
		`there is no column "key", so that all requests have one key; --key may name another, as "client_ip", "User"`,
	}, log.Choices(true))
	assert.Len(t, log.Choices(false), 1)
	log, err = Read([]string{one}, Options{Time: "ts", Key: "client_ip"})
	require.NoError(t, err)
	assert.Empty(t, log.Choices(true))
	log, err = Read([]string{"-"}, Options{Stdin: strings.NewReader("t,n\n0,1\n")})
	require.NoError(t, err)
	assert.Empty(t, log.Choices(true))
}
