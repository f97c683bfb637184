//go:build gc && !purego && !linux && !windows && !openbsd

#include "textflag.h"

// func isar0() uint64
TEXT ·isar0(SB), NOSPLIT, $0-8
	MRS ID_AA64ISAR0_EL1, R0
	MOVD R0, ret+0(FP)
	RET
