package experiments

import (
	"fmt"
	"math"
	"time"

	"ratelab/experiments/theory"
	"ratelab/internal/spec"
)

// counterErrorBursts is what an on/off stream is to be: the mean number of
// requests in a window, their index of dispersion, and the decay by the window.
type counterErrorBursts struct{ mean, dispersion, decay float64 }

// counterErrorRounded is an on/off stream as a spec has it: requests a second
// while on, to the thousandth, and mean times on and off in microseconds.
type counterErrorRounded struct {
	rate    float64
	on, off int64
}

// counterErrorStreams are the streams of the experiment, written down so that
// the theory that is tested has no say in what is run.
var counterErrorStreams = map[counterErrorBursts]counterErrorRounded{
	{4, 2, 2}:      {5.762, 1_635_335, 720_199},
	{4, 2, 20}:     {14.526, 69_000, 181_579},
	{10, 4, 0.2}:   {13.203, 20_608_961, 6_601_644},
	{10, 4, 2}:     {15.285, 1_446_113, 764_239},
	{10, 4, 20}:    {41.579, 65_833, 207_895},
	{10, 16, 0.2}:  {26.016, 8_121_792, 13_008_220},
	{10, 16, 2}:    {36.424, 689_223, 1_821_196},
	{10, 16, 20}:   {167.895, 53_167, 839_474},
	{10, 32, 0.2}:  {43.101, 6_510_545, 21_550_322},
	{10, 32, 2}:    {64.609, 591_559, 3_230_471},
	{10, 32, 20}:   {336.316, 51_532, 1_681_579},
	{10, 64, 0.2}:  {77.269, 5_743_284, 38_634_526},
	{10, 64, 2}:    {120.98, 545_053, 6_049_022},
	{10, 64, 20}:   {673.158, 50_754, 3_365_789},
	{20, 2, 0.2}:   {21.068, 98_653_765, 5_266_941},
	{20, 2, 2}:     {21.762, 6_176_676, 544_040},
	{20, 2, 20}:    {30.526, 145_000, 76_316},
	{20, 4, 0.2}:   {23.203, 36_217_922, 5_800_822},
	{20, 4, 2}:     {25.285, 2_392_225, 632_120},
	{20, 4, 20}:    {51.579, 81_667, 128_947},
	{20, 8, 0.2}:   {27.474, 18_379_109, 6_868_585},
	{20, 8, 2}:     {32.331, 1_310_954, 808_279},
	{20, 8, 20}:    {93.684, 63_571, 234_211},
	{20, 16, 0.2}:  {36.016, 11_243_584, 9_004_110},
	{20, 16, 2}:    {46.424, 878_445, 1_160_598},
	{20, 16, 20}:   {177.895, 56_333, 444_737},
	{20, 32, 0.2}:  {53.101, 8_021_089, 13_275_161},
	{20, 32, 2}:    {74.609, 683_119, 1_865_235},
	{20, 32, 20}:   {346.316, 53_065, 865_789},
	{50, 16, 0.2}:  {66.016, 20_608_961, 6_601_644},
	{50, 16, 20}:   {207.895, 65_833, 207_895},
	{70, 16, 0.2}:  {86.016, 26_852_545, 6_144_031},
	{70, 16, 20}:   {227.895, 72_167, 162_782},
	{80, 16, 0.2}:  {96.016, 29_974_337, 6_001_028},
	{80, 16, 20}:   {237.895, 75_333, 148_684},
	{90, 16, 0.2}:  {106.016, 33_096_130, 5_889_802},
	{90, 16, 20}:   {247.895, 78_500, 137_719},
	{100, 16, 0.2}: {116.016, 36_217_922, 5_800_822},
	{100, 16, 2}:   {126.424, 2_392_225, 632_120},
	{100, 16, 20}:  {257.895, 81_667, 128_947},
	{110, 16, 0.2}: {126.016, 39_339_714, 5_728_020},
	{110, 16, 20}:  {267.895, 84_833, 121_770},
	{120, 16, 0.2}: {136.016, 42_461_506, 5_667_352},
	{120, 16, 20}:  {277.895, 88_000, 115_789},
	{150, 16, 0.2}: {166.016, 51_826_883, 5_533_881},
	{150, 16, 20}:  {307.895, 97_500, 102_632},
	{200, 16, 0.2}: {216.016, 67_435_844, 5_400_411},
	{200, 16, 20}:  {357.895, 113_333, 89_474},
}

// counterErrorSolved is the stream by theory: for what a user sets.
func counterErrorSolved(b counterErrorBursts) counterErrorRounded {
	T := counterErrorT.Seconds()
	s := theory.OnOffWithDecay(b.mean/T, b.dispersion, T, b.decay/T)
	return counterErrorRounded{math.Round(s.Rate*1000) / 1000, int64(math.Round(s.On * 1e6)), int64(math.Round(s.Off * 1e6))}
}

// counterErrorStream is the on/off stream of a mean, an index of dispersion
// and a decay, all by the window, as near as a spec of thousandths of a
// request and whole microseconds can have it. What theory says of it is said
// of the stream as rounded.
func counterErrorStream(mean, dispersion, decay float64) (theory.OnOff, string) {
	bursts := counterErrorBursts{mean, dispersion, decay}
	s, ok := counterErrorStreams[bursts]
	if !ok {
		s = counterErrorSolved(bursts)
	}
	on, off := time.Duration(s.on)*time.Microsecond, time.Duration(s.off)*time.Microsecond
	return theory.OnOff{Rate: s.rate, On: on.Seconds(), Off: off.Seconds()},
		fmt.Sprintf("on-off:rate=%s/s,on=%s,off=%s", counterErrorDecimal(s.rate), spec.FormatDuration(on), spec.FormatDuration(off))
}
