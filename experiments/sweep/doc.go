// Package sweep is the laboratory bench: it runs one function over a grid of factors, with replications, on all cores,
// and turns what comes out into tables. It knows nothing of what the function measures.
//
// From a question to its data in five steps:
//
//  1. Declare a [Plan]: its [Factor]s and [Metric]s, the [Grid]s of factor values (their union is what runs), a
//     constraint if some combinations make no sense, the number of replications, and the function that measures one
//     cell and sets one [Row]. An [Axis] of a grid may go together with others ([Zip]) and may be computed from other
//     factors, by formulas such as {2*rate} in its values or by a function.
//  2. Change it from outside with [Plan.Override], [Plan.OverrideZipped] and [Plan.Constrain]; [ParseSetting] reads
//     lists, ranges such as "1..1024 *2", formulas, and factors that go together. [Plan.Cells] lists what would run, in
//     the order of the rows of the results.
//  3. [Execute] it. Replication k of every point of the grid gets the same base seed and the same k, from which a cell
//     draws all its random numbers: points are compared under common random numbers. Results are placed by cell, so that
//     any number of workers gives the same bytes. A cell that fails, even by a panic, is an error that names it. With a
//     [Store], cells that this program has computed before are not run again, and those that run are kept as they end;
//     [Store.Survey] says before which these are. A [Shard] of the cells runs elsewhere, and [Gather] makes a result of
//     what a store has. With a [Precision] each point has as many replications as its means need.
//  4. [Result.Write] leaves runs.csv (a row a cell, exact), summary.csv (an [Estimate] with its interval for each point
//     and metric), warnings.csv (why an estimate is doubtful), datapackage.json (what every column means) and manifest.json (where all that came from) in a folder.
//  5. [Fresh] says later whether the folder still answers the question, or in one sentence why not; [ReadRuns] and
//     [ReadSummary] bring the tables back, and figures and other files that are made from them are entered by
//     [AddOutputs]. [Pairs] finds points to compare, and [PairedDifference] compares them.
package sweep
