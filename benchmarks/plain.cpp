// Moeraki-Kemu, the basic game, written by hand: whole games with uniformly random moves, one thread.
//
// Sets of the 57 hollows and of the 52 fields are words of 64 bits; what can be known of a hollow (the lines
// through it, the fields around it) is worked out before the first game; a hollow is drawn from an array of
// the empty ones. Rules: spec/moeraki-kemu/rules.md.
//
//     g++ -O3 -march=native -std=c++17 -o plain plain.cpp && ./plain GAMES SEED
//
// prints: games, decisions, games that matau won, sum of squares of the lengths, seconds of the processor.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

using Set = uint64_t;

static int cell_at[13][13];
static std::vector<int> heart;                 // the hollows for the ball
static std::vector<Set> lines[57];             // squares, diagonals, shores through a hollow
static Set arm[57][57][4];                     // by ball and hollow: diagonals from an edge to the ball
static int arms[57][57];
static std::vector<int> fields[57];            // the fields around a hollow
static std::vector<Set> corners;               // of a field
static int cells;

static bool hollow(int x, int y) {
    return x >= 1 && x <= 11 && y >= 1 && y <= 11 && (x + y) % 2 == 0 && abs(x - 6) + abs(y - 6) <= 8;
}

static Set bit(int cell) { return Set(1) << cell; }

static void add_line(Set line) {
    for (int c = 0; c < cells; c++)
        if (line & bit(c)) lines[c].push_back(line);
}

static void prepare() {
    for (int y = 1; y <= 11; y++)
        for (int x = 1; x <= 11; x++)
            if (hollow(x, y)) {
                if (abs(x - 6) + abs(y - 6) <= 2) heart.push_back(cells);
                cell_at[x][y] = cells++;
            }
    for (int y = 1; y <= 11; y++)
        for (int x = 1; x <= 11; x++) {
            if ((x + y) % 2 == 0) continue;
            Set around = 0;
            const int steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
            for (auto& d : steps)
                if (hollow(x + d[0], y + d[1])) around |= bit(cell_at[x + d[0]][y + d[1]]);
            if (__builtin_popcountll(around) < 3) continue;
            for (int c = 0; c < cells; c++)
                if (around & bit(c)) fields[c].push_back((int)corners.size());
            corners.push_back(around);
            if (__builtin_popcountll(around) == 4) add_line(around);
        }
    for (int down = -1; down <= 1; down += 2)
        for (int y = 1; y <= 11; y++)
            for (int x = 1; x <= 11; x++) {
                if (!hollow(x, y) || hollow(x - 1, y - down)) continue;
                std::vector<int> row;
                for (int i = 0; hollow(x + i, y + i * down); i++) row.push_back(cell_at[x + i][y + i * down]);
                Set whole = 0;
                for (int c : row) whole |= bit(c);
                add_line(whole);
                for (int ball : row) {  // the two parts on either side of the ball
                    Set part = 0;
                    auto close = [&] {
                        for (int c = 0; c < cells; c++)
                            if (part & bit(c)) arm[ball][c][arms[ball][c]++] = part;
                        part = 0;
                    };
                    for (int c : row)
                        if (c == ball) close();
                        else part |= bit(c);
                    close();
                }
            }
    for (int edge : {1, 11}) {
        Set upright = 0, across = 0;
        for (int i = 1; i <= 11; i++) {
            if (hollow(edge, i)) upright |= bit(cell_at[edge][i]);
            if (hollow(i, edge)) across |= bit(cell_at[i][edge]);
        }
        add_line(upright);
        add_line(across);
    }
}

static uint64_t stream;

static uint32_t below(uint32_t limit) {  // SplitMix64; the remainder is as good as unbiased
    uint64_t z = stream += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return (uint32_t)(((unsigned __int128)z * limit) >> 64);
}

static int play(int& decisions) {  // the number of the winner; matau is 0
    int empty[57];
    for (int c = 0; c < cells; c++) empty[c] = c;
    int left = cells, ball = heart[below((uint32_t)heart.size())];
    empty[ball] = empty[--left];
    decisions++;
    Set stones[2] = {0, 0}, tiles[2] = {0, 0}, taken = bit(ball);
    for (int player = 1; left > 0; player = 1 - player) {
        int at = (int)below((uint32_t)left), c = empty[at];
        empty[at] = empty[--left];
        decisions++;
        Set own = stones[player] |= bit(c);
        taken |= bit(c);
        for (Set line : lines[c])
            if ((own & line) == line) return player;
        for (int i = 0; i < arms[ball][c]; i++)
            if ((own & arm[ball][c][i]) == arm[ball][c][i]) return player;
        for (int f : fields[c]) {
            if ((taken & corners[f]) != corners[f]) continue;
            int difference =
                __builtin_popcountll(stones[0] & corners[f]) - __builtin_popcountll(stones[1] & corners[f]);
            if (difference) tiles[difference < 0] |= bit(f);
        }
    }
    int points[2] = {0, 0};
    for (int f = 0; f < (int)corners.size(); f++)
        for (int player = 0; player < 2; player++)
            if (tiles[player] & bit(f)) {
                bool half = __builtin_popcountll(corners[f]) == 3 && stones[1 - player] & corners[f];
                points[player] += half ? 1 : 2;
            }
    return points[0] >= points[1] ? 0 : 1;
}

int main(int, char** given) {
    prepare();
    long games = atol(given[1]), decisions = 0, won = 0, squares = 0;
    stream = strtoull(given[2], nullptr, 10) * 0xD1342543DE82EF95;
    clock_t began = clock();
    for (long game = 0; game < games; game++) {
        int length = 0;
        won += play(length) == 0;
        decisions += length;
        squares += length * length;
    }
    printf("%ld %ld %ld %ld %.6f\n", games, decisions, won, squares, double(clock() - began) / CLOCKS_PER_SEC);
}
