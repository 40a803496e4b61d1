/* Start of a program on the Cortex-M4F of QEMU's board mps2-an386; semihosting prints and ends it. */
extern void _start(void);
void reset(void);

void reset(void) {
    *(volatile unsigned *)0xE000ED88u |= 0xFu << 20; /* CPACR: the floating-point unit on */
    _start();
}

__attribute__((section(".vectors"), used)) static void (*const vectors[2])(void) = {
    (void (*)(void))0x20400000, /* the stack: the end of RAM */
    reset,
};
