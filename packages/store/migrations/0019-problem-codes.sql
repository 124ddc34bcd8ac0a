-- Why a document could not be read in, or a collection read anew, also as a code: who shows it says it in the reader's
-- language. The text beside it is for those that do not know the code.
alter table lamb.documents add column problem_code text;
alter table lamb.collections add column reindex_problem_code text;

-- Nobody looked at it.
alter table lamb.documents drop column attempt;

-- The queue is divided by organisation: who has waited longest of all is asked by nobody.
drop index ops.jobs_waiting_idx;
