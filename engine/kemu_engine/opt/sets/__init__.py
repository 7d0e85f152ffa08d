"""Set vectorisation: folds become operations on whole sets, as far as the condition can be said so."""
