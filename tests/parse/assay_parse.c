/* SPDX-License-Identifier: Apache-2.0 */
int command_parse(int argc, char **argv);

int main(int argc, char **argv)
{
    return command_parse(argc, argv);
}
