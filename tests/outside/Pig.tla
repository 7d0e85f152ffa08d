-------------------------------- MODULE Pig --------------------------------
(* The dice game Pig to ten by hand, to be compared with tests/gallery/pig.kemu. *)
EXTENDS Integers
VARIABLES score, total, rolls, turn, at

vars == <<score, total, rolls, turn, at>>
Player == {"ann", "bob"}
other(p) == IF p = "ann" THEN "bob" ELSE "ann"
Goal == 10

Init == score = [p \in Player |-> 0] /\ total = 0 /\ rolls = 0 /\ turn = "ann" /\ at = "choice"
Roll ==
    /\ at = "choice" /\ score[turn] + total < Goal
    /\ at' = "die" /\ UNCHANGED <<score, total, rolls, turn>>
Die(n) ==
    /\ at = "die" /\ at' = "choice" /\ UNCHANGED score
    /\ IF n = 1 THEN total' = 0 /\ rolls' = 0 /\ turn' = other(turn)
                ELSE total' = total + n /\ rolls' = rolls + 1 /\ turn' = turn
Hold ==
    /\ at = "choice" /\ total > 0
    /\ score' = [score EXCEPT ![turn] = @ + total]
    /\ total' = 0 /\ rolls' = 0
    /\ IF score'[turn] >= Goal THEN at' = "over" /\ turn' = "nobody" ELSE at' = "choice" /\ turn' = other(turn)
Next == Roll \/ (\E n \in 1..6 : Die(n)) \/ Hold
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

Bounded == at = "over" \/ \A p \in Player : score[p] < Goal
Rolls == rolls <= 10
AnnNeverWins == ~(at = "over" /\ score["ann"] >= Goal)
Ends == <>(at = "over")
=============================================================================
