----------------------------- MODULE TicTacToe -----------------------------
(* Tic-tac-toe by hand, to be compared with tests/gallery/tic_tac_toe.kemu. *)
EXTENDS Integers, FiniteSets
VARIABLES mark, turn, result

Cell == (1..3) \X (1..3)
Player == {"cross", "nought"}
other(p) == IF p = "cross" THEN "nought" ELSE "cross"
Rows == {{<<x, y>> : x \in 1..3} : y \in 1..3} \cup {{<<x, y>> : y \in 1..3} : x \in 1..3}
        \cup {{<<x, x>> : x \in 1..3}, {<<x, 4 - x>> : x \in 1..3}}
Won(p, m) == \E r \in Rows : \A c \in r : m[c] = p

Init == mark = [c \in Cell |-> "none"] /\ turn = "cross" /\ result = "none"
Put(c) ==
    /\ result = "none" /\ mark[c] = "none"
    /\ mark' = [mark EXCEPT ![c] = turn]
    /\ result' = IF Won(turn, mark') THEN turn
                 ELSE IF \A k \in Cell : mark'[k] # "none" THEN "tie" ELSE "none"
    /\ turn' = IF result' = "none" THEN other(turn) ELSE "over"
Next == \E c \in Cell : Put(c)
Spec == Init /\ [][Next]_<<mark, turn, result>> /\ WF_<<mark, turn, result>>(Next)

OneWinner == ~(Won("cross", mark) /\ Won("nought", mark))
NoMore == Cardinality({c \in Cell : mark[c] = "cross"}) <= 5
NoDraw == result # "tie"
Ends == <>(result # "none")
=============================================================================
