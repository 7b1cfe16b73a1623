package metrics

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestListsCountLikeOneAfterTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := time.Duration(rapid.IntRange(1, 30).Draw(t, "window"))
		span := Span{Start: time.Duration(rapid.IntRange(-5, 40).Draw(t, "start")), End: 200}
		promise := int64(rapid.IntRange(0, 20).Draw(t, "promise"))
		window, pages := NewWindow(w, promise), NewPages(w, promise, span)
		windowOfLists, pagesOfLists := NewWindow(w, promise), NewPages(w, promise, span)
		now := time.Duration(rapid.IntRange(-20, 20).Draw(t, "first"))
		for range rapid.IntRange(0, 8).Draw(t, "lists") {
			var list []Admission
			longest := rapid.SampledFrom([]int{0, 1, 9}).Draw(t, "longest gap")
			for range rapid.IntRange(0, 40).Draw(t, "admissions") {
				now += time.Duration(rapid.IntRange(0, longest).Draw(t, "gap"))
				list = append(list, Admission{At: now, Cost: int64(rapid.IntRange(1, 3).Draw(t, "cost"))})
			}
			for _, a := range list {
				window.Admit(a.At, a.Cost)
				pages.Admit(a.At, a.Cost)
			}
			windowOfLists.AdmitAll(list)
			pagesOfLists.AdmitAll(list)
			require.Equal(t, window.Max(), windowOfLists.Max())
			require.Equal(t, *pages, *pagesOfLists)
		}
		require.Equal(t, window.trail.sum, windowOfLists.trail.sum)
	})
}

func TestAWindowOfListsTakesRoomForItsMaximumAndAList(t *testing.T) {
	v := NewWindow(100, 1)
	list := make([]Admission, 64)
	at := time.Duration(0)
	for range 1000 {
		for i := range list {
			at += 10
			list[i] = Admission{At: at, Cost: 1}
		}
		v.AdmitAll(list)
	}
	require.Equal(t, int64(10), v.Max())
	require.Len(t, v.trail.ring, 128)
}

func TestZeroDelaysCountLikeOneAfterTheOther(t *testing.T) {
	var one, many Delay
	for range 7 {
		one.Add(0)
	}
	one.Add(3)
	many.Add(3)
	many.AddZeros(7)
	require.Equal(t, one, many)
}
