/* A curses program that fills the screen and waits for a key: the least that a first frame can cost,
 * for the benchmark to compare with. */
#include <curses.h>
#include <locale.h>

int main(void)
{
    setlocale(LC_CTYPE, "");
    initscr();
    raw();
    noecho();
    keypad(stdscr, TRUE);
    if (has_colors()) {
        start_color();
        for (short i = 1; i < 8; i++)
            init_pair(i, i, 0);
    }
    for (int y = 0; y < LINES; y++) {
        attrset(COLOR_PAIR(y % 7 + 1));
        for (int x = 0; x < COLS; x++)
            mvaddch(y, x, (chtype)('a' + (x + y) % 26));
    }
    refresh();
    getch();
    endwin();
    return 0;
}
