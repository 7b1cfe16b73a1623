// Package plots draws how answers look: one chart kind a file, one style for all of them.
//
// A Figure is a title that states the finding, a subtitle that states the measure, and a Chart: Line (curves with
// intervals), Step (running totals over time), Timeline (single requests over time), Tail (the share above each value),
// Heat (a value for each pair of factors) or Grid (several charts, small multiples). FromSummary and HeatFromSummary make series and cells from a summary table. Save writes the figure as SVG,
// PDF and PNG, with the same bytes on every run.
//
// What every figure keeps to: text is drawn as outlines of one embedded font, so it looks the same everywhere; series
// are labelled where they end, there is no legend to decode; a limiter, a coordination, a balancer, what a client does and
// a defence have the same colour, dash and mark in every figure (see theme.go), so that grey print keeps them apart; no
// label covers another; figures are alike wide and legible in a column of 8.5 cm. Examine tells what stands on one. What
// cannot be drawn honestly (no data, a zero on a log axis, a character the font lacks) is an error that says so.
//
// gonum.org/v1/plot draws: axes, grid, lines, bands, markers and heat cells are its plots and plotters, plot.Align sets
// panels side by side. What it lacks are small plotters of ours: labels at the ends of curves (endlabel.go), rows of dots
// (rows.go), titles flush left (frame.go), a canvas that draws text as outlines (outline.go). Lengths are in points,
// 1/72 inch, and y grows upwards.
package plots
